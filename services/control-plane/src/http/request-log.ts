import { newId, systemClock, type Logger } from '@calls/foundation';
import { LATENCY_BUCKETS_MS, type Metrics } from '@calls/telemetry';
import type { RequestHandler, Response } from 'express';
import { callerOrNull, type Caller } from './authentication.ts';

const requestIds = new WeakMap<Response, string>();

export function requestIdOf(response: Response): string | undefined {
  return requestIds.get(response);
}

/** Gives each request an id, and logs and counts how it went: who, what and how long; never bodies or queries. */
export function requestLog(log: Logger, metrics: Metrics): RequestHandler {
  const durations = metrics.histogram({
    name: 'http_request_duration_ms',
    help: 'Time from a request’s head to the end of its answer.',
    labels: ['method', 'route', 'status'],
    buckets: LATENCY_BUCKETS_MS,
  });
  return (request, response, next) => {
    const requestId = newId();
    const startMs = systemClock.nowMs();
    requestIds.set(response, requestId);
    response.set('X-Request-Id', requestId);
    response.once('close', () => {
      const durationMs = Math.round((systemClock.nowMs() - startMs) * 10) / 10;
      const route = routeOf(request);
      const status = response.writableFinished ? response.statusCode : 499;
      durations.observe({ method: request.method, route, status: String(status) }, durationMs);
      log.info(
        {
          requestId,
          method: request.method,
          route,
          status,
          durationMs,
          ...whose(callerOrNull(response)),
        },
        'request',
      );
    });
    next();
  };
}

/** The route's pattern, not the path: as many series as there are routes. */
function routeOf(request: { route?: unknown }): string {
  const { route } = request;
  if (typeof route !== 'object' || route === null || !('path' in route)) return 'none';
  return typeof route.path === 'string' ? route.path : 'none';
}

function whose(caller: Caller | null): Record<string, string> {
  if (!caller) return {};
  if (caller.by === 'key') return { accountId: caller.key.accountId, keyId: caller.key.keyId };
  return { accountId: caller.token.accountId, tokenCallId: caller.token.callId };
}
