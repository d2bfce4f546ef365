import type { Logger } from '@calls/foundation';
import type { Metrics, ReadinessCheck } from '@calls/telemetry';
import type { ObjectStorage } from '@calls/object-storage';
import type { Database } from '@calls/store';
import express, { type Express } from 'express';
import helmet from 'helmet';
import type { KeyAuthenticator } from '../auth/key-authenticator.ts';
import { authentication } from './authentication.ts';
import { callRoutes, type CallRoutesParts } from './calls.routes.ts';
import { cors } from './cors.ts';
import { errorHandler } from './error-handler.ts';
import { healthRoutes } from './health.routes.ts';
import { homeRoutes } from './home.routes.ts';
import { jsonBody } from './json-body.ts';
import { modelRoutes } from './models.routes.ts';
import { notFound } from './problem.ts';
import type { Paging } from './query.ts';
import { recordingRoutes } from './recordings.routes.ts';
import { requestLog } from './request-log.ts';
import { voiceRoutes } from './voices.routes.ts';

export interface AppParts extends CallRoutesParts {
  db: Database;
  paging: Paging;
  authenticator: KeyAuthenticator;
  recordings: ObjectStorage;
  models: readonly string[];
  checks: Record<string, ReadinessCheck>;
  metrics: Metrics;
  log: Logger;
}

/** The whole HTTP surface. Keys are checked before bodies are read. */
export function createApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(requestLog(parts.log, parts.metrics));
  // For answers that no browser shows as a page, and that pages of any origin may read.
  const contentSecurityPolicy = {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  };
  app.use(helmet({ contentSecurityPolicy, crossOriginResourcePolicy: { policy: 'cross-origin' } }));
  app.use(homeRoutes(parts.paging.publicUrl));
  app.use(healthRoutes(parts.checks));
  app.use('/api', cors, authentication(parts.authenticator), (_request, response, next) => {
    response.set('Cache-Control', 'no-store');
    next();
  });
  app.use('/api', ...jsonBody);
  app.use(callRoutes(parts));
  app.use(recordingRoutes(parts.db, parts.recordings));
  app.use(voiceRoutes(parts.db, parts.paging));
  app.use(modelRoutes(parts.models, parts.paging));
  app.use(() => {
    throw notFound('path');
  });
  app.use(errorHandler(parts.log));
  return app;
}
