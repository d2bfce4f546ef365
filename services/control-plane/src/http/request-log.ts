import { systemClock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { Logger } from '@calls/foundation/logger';
import { parseTraceparent, runInTrace } from '@calls/foundation/trace-context';
import { catchUnhandledRejections } from '@calls/foundation/unhandled-rejections';
import { LATENCY_BUCKETS_MS, type Metrics } from '@calls/telemetry/metrics';
import { idsOnly } from '@calls/telemetry/tracing/create-tracing';
import type { Tracing } from '@calls/telemetry/tracing/span';
import type { RequestHandler, Response } from 'express';
import { callerOrNull, type Caller } from './authentication.ts';

/** Streams end when their clients leave; how long they last is no latency. */
const EVENT_STREAM = 'text/event-stream';

const requestIds = new WeakMap<Response, string>();

export function requestIdOf(response: Response): string | undefined {
  return requestIds.get(response);
}

/**
 * Gives each request an id and a span in its caller's trace or a new trace; logs and counts its result, but never
 * bodies or queries. Requests outside of the API, such as probes, get no span. Also turns unhandled rejections of a
 * handler into a failed request.
 */
export function requestLog({
  log,
  metrics,
  tracing,
}: {
  log: Logger;
  metrics: Metrics;
  tracing: Tracing;
}): RequestHandler {
  const durations = metrics.histogram({
    name: 'http_request_duration_ms',
    help: 'Time from the head of a request to the end of its response; status 499: the client disconnected first',
    labels: ['method', 'route', 'status'],
    buckets: LATENCY_BUCKETS_MS,
  });
  return (request, response, next) => {
    const requestId = newId();
    const startMs = systemClock.nowMs();
    requestIds.set(response, requestId);
    response.set('X-Request-Id', requestId);
    const { method } = request;
    const span = (request.path.startsWith('/api') ? tracing : idsOnly).start(method, {
      kind: 'server',
      parent: parseTraceparent(request.get('traceparent')),
      attributes: { 'http.request.method': method },
    });
    response.once('close', () => {
      const durationMs = Math.round((systemClock.nowMs() - startMs) * 10) / 10;
      const route = routeOf(request);
      const isStream = String(response.getHeader('Content-Type')).startsWith(EVENT_STREAM);
      const status = response.writableFinished || isStream ? response.statusCode : 499;
      if (!isStream) durations.observe({ method, route, status: String(status) }, durationMs);
      const fields = {
        requestId,
        method,
        route,
        status,
        durationMs,
        ...callerFields(callerOrNull(response)),
      };
      runInTrace(span.trace, () => log.info(fields, 'request'));
      span.rename(`${method} ${route}`);
      span.set({ 'http.route': route, 'http.response.status_code': status });
      if (status >= 500) span.fail(String(status));
      span.end();
    });
    const fail = (err: Error): void => {
      if (!response.writableEnded) next(err);
    };
    catchUnhandledRejections(fail, () => runInTrace(span.trace, next));
  };
}

/** The route pattern instead of the path, to bound the number of series. */
function routeOf(request: { route?: unknown }): string {
  const { route } = request;
  if (typeof route !== 'object' || route === null || !('path' in route)) return 'none';
  return typeof route.path === 'string' ? route.path : 'none';
}

function callerFields(caller: Caller | null): Record<string, string> {
  if (!caller) return {};
  if (caller.by === 'admin_token') return { administrator: caller.administrator };
  if (caller.by === 'key') return { accountId: caller.key.accountId, keyId: caller.key.keyId };
  return { accountId: caller.token.accountId, tokenCallId: caller.token.callId };
}
