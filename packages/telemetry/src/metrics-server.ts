import { systemClock, withTimeout } from '@calls/foundation/clock';
import { reasonsOf, toError } from '@calls/foundation/errors';
import { closeServer, listen } from '@calls/foundation/listen';
import { createServer, type ServerResponse } from 'node:http';
import type { Metrics } from './metrics.ts';

/**
 * Resolves if the dependency works and rejects otherwise, within CHECK_LIMIT_MS. May resolve to the state of an optional
 * dependency.
 */
export type ReadinessCheck = () => Promise<unknown> | 'ok' | 'degraded';

export interface ReadinessReport {
  ready: boolean;
  checks: Record<string, 'ok' | 'degraded' | { error: string }>;
}

export interface MetricsServer extends AsyncDisposable {
  readonly port: number;
}

const CHECK_LIMIT_MS = 2000;
/** Connections of scrapers and probes. */
const SERVER_LIMITS = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 };
const MAX_CONNECTIONS = 100;

/** Runs all checks in parallel. */
export async function checkReadiness(checks: Record<string, ReadinessCheck>): Promise<ReadinessReport> {
  const report: ReadinessReport = { ready: true, checks: {} };
  await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        const checked = Promise.resolve(check());
        const state = await withTimeout(systemClock, checked, CHECK_LIMIT_MS, `check of ${name}`);
        report.checks[name] = state === 'degraded' ? 'degraded' : 'ok';
      } catch (thrown) {
        report.ready = false;
        report.checks[name] = { error: reasonsOf(thrown) };
      }
    }),
  );
  return report;
}

/**
 * Serves `/metrics` (Prometheus text), `/healthz` (liveness) and `/readyz` (503 unless every check passes) on a
 * separate, internal port. Port 0 picks a free one.
 */
export async function startMetricsServer(options: {
  port: number;
  metrics: Metrics;
  checks: Record<string, ReadinessCheck>;
}): Promise<MetricsServer> {
  const { registry } = options.metrics;
  const handle = async (path: string, response: ServerResponse): Promise<void> => {
    switch (path) {
      case '/metrics': {
        const body = await registry.metrics();
        response.writeHead(200, { 'content-type': registry.contentType }).end(body);
        return;
      }
      case '/healthz':
        sendJson(response, 200, { status: 'ok' });
        return;
      case '/readyz': {
        const report = await checkReadiness(options.checks);
        sendJson(response, report.ready ? 200 : 503, report);
        return;
      }
      default:
        sendJson(response, 404, { detail: 'not found', code: 'not_found' });
    }
  };
  const server = createServer(SERVER_LIMITS, (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    handle(path, response).catch((thrown: unknown) => {
      if (!response.headersSent)
        sendJson(response, 500, { detail: toError(thrown).message, code: 'internal' });
      else response.destroy();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, { port: options.port, variable: 'METRICS_PORT' });
  return {
    port,
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
