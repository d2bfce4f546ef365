import { afterEach, describe, expect, it } from '@jest/globals';
import { startMetricsServer, type MetricsServer, type ReadinessCheck } from './metrics-server.ts';
import { createMetrics } from './metrics.ts';

const open: MetricsServer[] = [];

async function start(checks: Record<string, ReadinessCheck> = {}, port = 0) {
  const metrics = createMetrics({ service: 'test' });
  const server = await startMetricsServer({ port, metrics, checks });
  open.push(server);
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    return { status: response.status, text: await response.text() };
  };
  return { metrics, server, get };
}

afterEach(async () => {
  for (const server of open.splice(0)) await server[Symbol.asyncDispose]();
});

describe('metrics server', () => {
  it('exposes the metrics of the service and of the process', async () => {
    const { metrics, get } = await start();
    const zero = [{ kind: 'bad' }];
    metrics
      .counter({ name: 'things_total', help: 'Things.', labels: ['kind'], zero })
      .inc({ kind: 'good' }, 2);
    metrics.histogram({ name: 'jobs_ms', help: 'Jobs.', labels: ['kind'], buckets: [1], zero });
    metrics.gauge({ name: 'level', help: 'A level.', collect: () => 7 });
    metrics.histogram({ name: 'wait_ms', help: 'Waits.', buckets: [1, 10] }).observe(5);
    const { status, text } = await get('/metrics');
    expect(status).toBe(200);
    expect(text).toContain('calls_things_total{kind="good",service="test"} 2');
    expect(text).toContain('calls_things_total{kind="bad",service="test"} 0');
    expect(text).toMatch(/^calls_jobs_ms_count\{[^}]*kind="bad"[^}]*\} 0$/mu);
    expect(text).toContain('calls_level{service="test"} 7');
    expect(text).toContain('calls_wait_ms_bucket{le="10",service="test"} 1');
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
  });

  it('is ready only when every check passes, and reports the failing check', async () => {
    let broken = false;
    const { get } = await start({
      database: () => Promise.resolve(),
      bus: () =>
        broken ? Promise.reject(new Error('bus lost', { cause: new Error('no route') })) : Promise.resolve(),
    });
    expect((await get('/readyz')).status).toBe(200);
    broken = true;
    const { status, text } = await get('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toEqual({
      ready: false,
      checks: { database: 'ok', bus: { error: 'bus lost: no route' } },
    });
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/else')).status).toBe(404);
  });

  it('is ready when an optional dependency is unavailable', async () => {
    const { get } = await start({ cache: () => 'degraded' });
    const { status, text } = await get('/readyz');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({ ready: true, checks: { cache: 'degraded' } });
  });

  it('reports the port that is in use', async () => {
    const { server } = await start();
    await expect(start({}, server.port)).rejects.toThrow(
      `port ${server.port} is in use by another process, or for another variable; set METRICS_PORT to another port`,
    );
  });
});
