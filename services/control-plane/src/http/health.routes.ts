import { checkReadiness, type ReadinessCheck } from '@calls/telemetry/metrics-server';
import { Router } from 'express';
import { onlyMethods } from './route-guards.ts';

/**
 * Health endpoints for load balancers: `/healthz` reports that the process responds, `/readyz` that its dependencies
 * are available.
 */
export function healthRoutes(checks: Record<string, ReadinessCheck>): Router {
  const router = Router();
  router
    .route('/healthz')
    .get((_request, response) => {
      response.json({ status: 'ok' });
    })
    .all(onlyMethods('GET'));
  router
    .route('/readyz')
    .get(async (_request, response) => {
      const report = await checkReadiness(checks);
      response.status(report.ready ? 200 : 503).json(report);
    })
    .all(onlyMethods('GET'));
  return router;
}
