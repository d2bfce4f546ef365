import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EnvReader } from '@calls/foundation/env-reader';
import { AppError } from '@calls/foundation/errors';
import { createLogger, silentLogger } from '@calls/foundation/logger';
import { currentTrace, parseTraceparent } from '@calls/foundation/trace-context';
import { createMetrics, type Metrics } from '@calls/telemetry/metrics';
import { createTracing } from '@calls/telemetry/tracing/create-tracing';
import { inSpan, type Tracing } from '@calls/telemetry/tracing/span';
import { readTracingConfig } from '@calls/telemetry/tracing/tracing-config';
import { eventually } from '../support/eventually.ts';
import { startSpanCollector, type SpanCollector } from '../support/span-collector.ts';

let collector: SpanCollector;
let metrics: Metrics;
let tracing: Tracing;
let lines: string[];

async function start(env: Record<string, string> = {}): Promise<void> {
  const reader = new EnvReader({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });
  const config = readTracingConfig(reader, 'test-service');
  reader.finish();
  metrics = createMetrics({ service: 'test' });
  const log = createLogger(
    { service: 'test', level: 'info', logPii: false },
    { write: (line: string) => void lines.push(line) },
  );
  tracing = await createTracing(config, { metrics, log });
}

beforeEach(async () => {
  lines = [];
  collector = await startSpanCollector();
});

afterEach(async () => {
  await tracing[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

async function counted(outcome: string): Promise<number> {
  const metric = await metrics.registry.getSingleMetric('calls_spans_total')?.get();
  return metric?.values.find(({ labels }) => labels['outcome'] === outcome)?.value ?? 0;
}

describe('trace spans', () => {
  it('are exported with parents, times and attributes and flushed on shutdown', async () => {
    await start();
    const caller = parseTraceparent('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
    await inSpan(
      tracing,
      'outer',
      { kind: 'server', parent: caller, attributes: { 'call.id': 'c' } },
      async (outer) => {
        expect(currentTrace()).toBe(outer.trace);
        await inSpan(tracing, 'inner', {}, () => undefined);
        outer.set({ 'http.response.status_code': 201 });
        const now = Date.now();
        tracing.start('past', { startedAtMs: now - 250 }).end(now - 50);
      },
    );
    await tracing[Symbol.asyncDispose]();
    const [inner, past, outer] = collector.spans;
    expect(outer).toMatchObject({
      service: 'test-service',
      name: 'outer',
      kind: 2,
      traceId: caller?.traceId,
      parentSpanId: caller?.spanId,
      attributes: { 'call.id': 'c', 'http.response.status_code': 201 },
      failed: false,
    });
    expect(inner).toMatchObject({ name: 'inner', traceId: caller?.traceId, parentSpanId: outer?.spanId });
    expect(past).toMatchObject({ name: 'past', parentSpanId: outer?.spanId });
    expect(past?.durationMs).toBeCloseTo(200, 0);
    expect(await counted('exported')).toBe(3);
  });

  it('contain the error code but not the message of a failure', async () => {
    await start();
    const failing = inSpan(tracing, 'failing', {}, () => {
      throw new AppError('too_bad', 'he said 4929 1234');
    });
    await expect(failing).rejects.toThrow('4929');
    await tracing[Symbol.asyncDispose]();
    expect(collector.spans).toMatchObject([{ failed: true, attributes: { 'error.type': 'too_bad' } }]);
    expect(Buffer.concat(collector.bodies).includes('4929')).toBe(false);
  });

  it('are sampled as configured, and unsampled traces still have an id', async () => {
    await start({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
    const unsampled = tracing.start('unsampled');
    expect(unsampled.trace).toMatchObject({ sampled: false });
    expect(unsampled.trace.traceId).toMatch(/^[\da-f]{32}$/u);
    const child = tracing.start('of a recorded one', { parent: { ...unsampled.trace, sampled: true } });
    for (const span of [unsampled, child]) span.end();
    await tracing[Symbol.asyncDispose]();
    expect(collector.spans.map(({ name }) => name)).toEqual(['of a recorded one']);
  });

  it('that the collector rejects are counted and logged once', async () => {
    await start();
    collector.answerWith(400);
    tracing.start('lost').end();
    await eventually(async () => expect(await counted('failed')).toBe(1));
    tracing.start('lost too').end();
    await eventually(async () => expect(await counted('failed')).toBe(2));
    collector.answerWith(200);
    tracing.start('taken').end();
    await eventually(async () => expect(await counted('exported')).toBe(1));
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'failed to export spans to the collector',
      'resumed exporting spans to the collector',
    ]);
  });

  it('have ids but are not exported when no collector is configured', async () => {
    metrics = createMetrics({ service: 'test' });
    tracing = await createTracing(readTracingConfig(new EnvReader({}), 'x'), { metrics, log: silentLogger });
    await inSpan(tracing, 'outer', { parent: null }, (outer) => {
      expect(outer.trace.sampled).toBe(false);
      const inner = tracing.start('inner');
      expect(inner.trace).toEqual({ ...outer.trace, spanId: inner.trace.spanId });
      inner.end();
    });
    expect(collector.bodies).toEqual([]);
  });
});

describe('the trace configuration', () => {
  it('reports invalid settings', async () => {
    await start();
    const env = new EnvReader({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
      OTEL_TRACES_SAMPLER: 'some',
      OTEL_TRACES_SAMPLER_ARG: '2',
    });
    readTracingConfig(env, 'x');
    expect(() => env.finish()).toThrow(
      /ENDPOINT must be a URL[\s\S]*SAMPLER_ARG|SAMPLER_ARG[\s\S]*ENDPOINT/u,
    );
  });
});
