import type { Logger } from '@calls/foundation/logger';
import { currentTrace, newTraceContext } from '@calls/foundation/trace-context';
import type { Metrics } from '../metrics.ts';
import type { Span, Tracing } from './span.ts';
import type { TracingConfig } from './tracing-config.ts';

/** Without configuration, spans only provide ids for log lines, and the exporter is not loaded. */
export async function createTracing(
  config: TracingConfig | null,
  deps: { metrics: Metrics; log: Logger },
): Promise<Tracing> {
  if (config === null) return idsOnly;
  const { ExportedTracing } = await import('./exported-tracing.ts');
  return new ExportedTracing(config, deps);
}

const nothing = (): void => undefined;

/** Spans that are not recorded; they only propagate trace context. */
export const idsOnly: Tracing = {
  start(_name, { parent = currentTrace() } = {}): Span {
    return { trace: newTraceContext(parent), set: nothing, rename: nothing, fail: nothing, end: nothing };
  },
  [Symbol.asyncDispose]: () => Promise.resolve(),
};
