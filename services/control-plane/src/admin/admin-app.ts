import { ADMIN_API, openApiDocument } from '@calls/api-contract/openapi/openapi-document';
import { adminOperations } from '@calls/api-contract/operations/admin.operations';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { KeyAttempts } from '../auth/key-attempts.ts';
import { setCaller } from '../http/authentication.ts';
import { onlyMethods } from '../http/route-guards.ts';
import { notFound } from '../problems/problem.ts';
import { adminRoutes, type AdminRoutesDeps } from './admin-routes.ts';
import { checkAdminToken, type AdminToken } from '../auth/admin-tokens.ts';

const SCHEMA_PATH = '/admin/api/schema';

export interface AdminAppDeps extends AdminRoutesDeps {
  tokens: readonly AdminToken[];
  attempts: KeyAttempts;
  logRequests: RequestHandler;
  respondErrors: ErrorRequestHandler;
}

/** The admin API. It has its own listener and accepts admin tokens only. */
export function createAdminApp(deps: AdminAppDeps): Express {
  const { tokens, attempts } = deps;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(deps.logRequests);
  app.use(helmet());
  app
    .route(SCHEMA_PATH)
    .get((_request, response) => {
      response.json(describeAdminApi(deps.paging.publicUrl));
    })
    .all(onlyMethods('GET'));
  app.use('/admin/api', (request, response, next) => {
    const given = { authorization: request.get('Authorization'), address: request.ip ?? '' };
    setCaller(response, { by: 'admin_token', administrator: checkAdminToken(tokens, attempts, given) });
    response.set('Cache-Control', 'no-store');
    next();
  });
  app.use(adminRoutes(deps).build());
  app.use(() => {
    throw notFound('path');
  });
  app.use(deps.respondErrors);
  return app;
}

function describeAdminApi(serverUrl: string) {
  const description = 'Accounts of this installation, for its administrators.';
  const info = { title: 'Calls: administration', version: '0.1.0', description, serverUrl };
  return openApiDocument(adminOperations, info, ADMIN_API);
}
