import { systemClock, withTimeout } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { currentTrace, type TraceContext } from '@calls/foundation/trace-context';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as traceApi,
  TraceFlags,
  type Context,
  type Span as OtelSpan,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  type Resource,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { Metrics } from '../metrics.ts';
import type { Span, SpanAttributes, SpanOptions, Tracing } from './span.ts';
import { countedExporter } from './counted-exporter.ts';
import type { TracingConfig } from './tracing-config.ts';

/** Small batches: serializing one blocks the event loop, which delays audio frames. */
const BATCH = {
  maxQueueSize: 4096,
  maxExportBatchSize: 64,
  scheduledDelayMillis: 500,
  exportTimeoutMillis: 10_000,
};
/** Timeout for exporting the last spans of a process. */
const FLUSH_LIMIT_MS = 2000;

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** Exports sampled spans to a collector in the background. Spans that exceed the queue are dropped. */
export class ExportedTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #log: Logger;

  constructor(config: TracingConfig, { metrics, log }: { metrics: Metrics; log: Logger }) {
    const url = `${config.endpoint.replace(/\/$/u, '')}/v1/traces`;
    const exporter = countedExporter(new OTLPTraceExporter({ url }), { metrics, log });
    this.#log = log;
    this.#provider = new TracerProvider({
      resource: resourceOf(config),
      sampler: samplerOf(config),
      spanProcessors: [new BatchSpanProcessor({ exporter, ...BATCH })],
    });
    this.#tracer = this.#provider.getTracer('calls');
  }

  start(
    name: string,
    { kind = 'internal', parent = currentTrace(), startedAtMs, attributes = {} }: SpanOptions = {},
  ): Span {
    const options = {
      kind: KINDS[kind],
      attributes,
      ...(startedAtMs !== undefined && { startTime: startedAtMs }),
    };
    return new ExportedSpan(this.#tracer.startSpan(name, options, contextOf(parent)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await withTimeout(systemClock, this.#provider.shutdown(), FLUSH_LIMIT_MS, 'sending the last spans').catch(
      () => this.#log.warn({}, 'failed to send the last spans'),
    );
  }
}

class ExportedSpan implements Span {
  readonly trace: TraceContext;
  readonly #span: OtelSpan;

  constructor(span: OtelSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.trace = { traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
    this.#span = span;
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  fail(code: string): void {
    this.#span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR });
  }

  end(atMs?: number): void {
    this.#span.end(atMs);
  }
}

function contextOf(parent: TraceContext | null): Context {
  if (!parent) return ROOT_CONTEXT;
  const { traceId, spanId, sampled } = parent;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return traceApi.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Resource attributes: those in `OTEL_RESOURCE_ATTRIBUTES`, an instance id and the service name. */
function resourceOf({ serviceName }: TracingConfig): Resource {
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector];
  return defaultResource()
    .merge(detectResources({ detectors }))
    .merge(resourceFromAttributes({ 'service.name': serviceName }));
}

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  const [base, ofParent] = sampler.startsWith('parentbased_')
    ? [sampler.slice('parentbased_'.length), true]
    : [sampler, false];
  const root =
    base === 'traceidratio'
      ? new TraceIdRatioBasedSampler(ratio)
      : base === 'always_off'
        ? new AlwaysOffSampler()
        : new AlwaysOnSampler();
  return ofParent ? new ParentBasedSampler({ root }) : root;
}
