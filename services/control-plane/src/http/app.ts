import express, { type Express } from 'express';
import helmet from 'helmet';
import { apiRoutes } from './api-routes.ts';
import type { AppDeps } from './app-deps.ts';
import { authentication, createCallerCheck } from './authentication.ts';
import { compressResponses } from './compress-responses.ts';
import { consoleInvitationRoutes } from './console-invitation.routes.ts';
import { consoleSessionRoutes } from './console-session.routes.ts';
import { consoleRoutes } from './console.routes.ts';
import { cors } from './cors.ts';
import { docsRoutes } from './docs.routes.ts';
import { docsSiteRoutes } from './docs-site.routes.ts';
import { healthRoutes } from './health.routes.ts';
import { notFound } from '../problems/problem.ts';
import { rateLimit } from './rate-limit.ts';
import { schemaRoutes } from './schema.routes.ts';
import { sipLogFileRoutes } from './sip-logs.routes.ts';
import { phoneLegRoutes } from './phone-leg.routes.ts';
import { telephonyCallRoutes } from './telephony-call.routes.ts';
import { telephonyWebhookRoutes } from './telephony-webhook.routes.ts';
import { uploadRoutes } from './uploads.routes.ts';

/**
 * The whole HTTP surface. Keys and rate limits are checked before bodies are read. `compile` compiles the body
 * validators; until it has finished, the first request of each kind compiles its own.
 */
export function createApp(deps: AppDeps): { app: Express; compile: () => Promise<void> } {
  const app = express();
  const checkCaller = createCallerCheck(deps);
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', deps.trustedProxies);
  app.use(deps.logRequests);
  // Policy of responses other than pages. Pages of any origin may read them.
  const contentSecurityPolicy = {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  };
  app.use(
    helmet({
      contentSecurityPolicy,
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      xFrameOptions: { action: 'deny' },
      // Applies to this host only; other hosts of the domain are the owner's decision.
      strictTransportSecurity: deps.paging.publicUrl.startsWith('https:') && { includeSubDomains: false },
    }),
  );
  app.use(healthRoutes(deps.checks));
  app.use(docsRoutes());
  app.use(docsSiteRoutes(deps.docsSite));
  app.use(uploadRoutes(deps));
  app.use(sipLogFileRoutes(deps));
  app.use(telephonyCallRoutes(deps));
  app.use(phoneLegRoutes(deps));
  app.use(consoleSessionRoutes(deps));
  app.use(consoleInvitationRoutes(deps));
  app.use('/api', cors);
  app.use('/api', compressResponses);
  // Express answers `*` with 304, although the client may not have the content.
  app.use('/api', (request, _response, next) => {
    if (request.headers['if-none-match'] === '*') delete request.headers['if-none-match'];
    next();
  });
  app.use(schemaRoutes(deps.paging.publicUrl));
  app.use(telephonyWebhookRoutes(deps.paging.publicUrl, deps));
  app.use('/api', authentication(checkCaller), (_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });
  app.use('/api', rateLimit(deps.rateLimits, deps.planLimits));
  const api = apiRoutes({ ...deps, checkCaller });
  app.use(api.build());
  app.use(consoleRoutes(deps.console));
  app.use(() => {
    throw notFound('path');
  });
  app.use(deps.respondErrors);
  return { app, compile: () => api.compile() };
}
