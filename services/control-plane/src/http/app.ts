import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import type { RateLimits } from '@calls/redis/rate-limits/rate-limits';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Metrics } from '@calls/telemetry/metrics';
import type { ReadinessCheck } from '@calls/telemetry/metrics-server';
import type { Tracing } from '@calls/telemetry/tracing/span';
import type { ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import express, { type Express } from 'express';
import helmet from 'helmet';
import type { BulkWork } from '../untrusted-work/bulk-work.ts';
import type { StoredPreviews } from '../voices/stored-previews.ts';
import type { VoicePreviews } from '../voices/voice-previews.ts';
import { apiRoutes } from './api-routes.ts';
import { authentication, type AuthenticationParts } from './authentication.ts';
import type { DeleteCallParts } from '../calls/delete-call.ts';
import type { CallRoutesParts } from './calls.routes.ts';
import type { CorpusRoutesParts } from './corpora.routes.ts';
import type { CorpusSourceRoutesParts } from './corpus-sources.routes.ts';
import { consoleSessionRoutes } from './console-session.routes.ts';
import { consoleRoutes, type ConsoleParts } from './console.routes.ts';
import { cors } from './cors.ts';
import { docsRoutes } from './docs.routes.ts';
import { docsSiteRoutes, type DocsSiteDeps } from './docs-site.routes.ts';
import { errorHandler } from './error-handler.ts';
import { healthRoutes } from './health.routes.ts';
import type { Paging } from './paging.ts';
import { notFound } from './problem.ts';
import { rateLimit } from './rate-limit.ts';
import { requestLog } from './request-log.ts';
import { schemaRoutes } from './schema.routes.ts';
import { sipLogFileRoutes, type SipLogRoutesParts } from './sip-logs.routes.ts';
import { telephonyCallRoutes, type TelephonyCallParts } from './telephony-call.routes.ts';
import { telephonyWebhookRoutes } from './telephony-webhook.routes.ts';
import { uploadRoutes, type UploadRoutesParts } from './uploads.routes.ts';

export interface AppParts
  extends
    AuthenticationParts,
    CallRoutesParts,
    DeleteCallParts,
    CorpusRoutesParts,
    CorpusSourceRoutesParts,
    SipLogRoutesParts,
    TelephonyCallParts,
    UploadRoutesParts {
  bus: DeleteCallParts['bus'] & TelephonyCallParts['bus'];
  paging: Paging;
  console: ConsoleParts;
  docsSite: DocsSiteDeps;
  /** Proxies in front of us, each of which adds to `X-Forwarded-For`. */
  trustedProxies: number;
  rateLimits: RateLimits;
  planLimits: LimitsByPlan;
  storage: ObjectStorage;
  secretBox: SecretBox;
  outbound: OutboundHttp;
  checksOf: ChecksOf;
  bulkWork: BulkWork;
  voicePreviews: VoicePreviews;
  storedPreviews: StoredPreviews;
  models: readonly string[];
  sipDomain: string;
  checks: Record<string, ReadinessCheck>;
  metrics: Metrics;
  tracing: Tracing;
  clock: Clock;
  log: Logger;
}

/**
 * The whole HTTP surface. Keys and rates are checked before bodies are read. `compile` compiles the validators of bodies;
 * before it has ended, the first request of each kind does.
 */
export function createApp(parts: AppParts): { app: Express; compile: () => Promise<void> } {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', parts.trustedProxies);
  app.use(requestLog(parts));
  // For answers that no browser shows as a page, and that pages of any origin may read.
  const contentSecurityPolicy = {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  };
  app.use(
    helmet({
      contentSecurityPolicy,
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      xFrameOptions: { action: 'deny' },
      // For this host alone: what else its owner has under the domain is theirs to decide.
      strictTransportSecurity: parts.paging.publicUrl.startsWith('https:') && { includeSubDomains: false },
    }),
  );
  app.use(healthRoutes(parts.checks));
  app.use(docsRoutes());
  app.use(docsSiteRoutes(parts.docsSite));
  app.use(uploadRoutes(parts));
  app.use(sipLogFileRoutes(parts));
  app.use(telephonyCallRoutes(parts));
  app.use(consoleSessionRoutes(parts));
  app.use('/api', cors);
  // Express answers `*` with 304, although most responses of the API have no entity tag that a client could have stored.
  app.use('/api', (request, _response, next) => {
    if (request.headers['if-none-match'] === '*') delete request.headers['if-none-match'];
    next();
  });
  app.use(schemaRoutes(parts.paging.publicUrl));
  app.use(telephonyWebhookRoutes(parts.paging.publicUrl, parts));
  app.use('/api', authentication(parts), (_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });
  app.use('/api', rateLimit(parts.rateLimits, parts.planLimits));
  const api = apiRoutes(parts);
  app.use(api.build());
  app.use(consoleRoutes(parts.console));
  app.use(() => {
    throw notFound('path');
  });
  app.use(errorHandler(parts.log, parts.metrics));
  return { app, compile: () => api.compile() };
}
