import type { Logger } from '@calls/foundation/logger';
import { currentTrace, newTraceContext } from '@calls/foundation/trace-context';
import type { Metrics } from '../metrics.ts';
import type { Span, Tracing } from './span.ts';
import type { TracingConfig } from './tracing-config.ts';

/** Without a configuration spans are but ids, by which log lines are found; the code that exports isn't even loaded. */
export async function createTracing(
  config: TracingConfig | null,
  parts: { metrics: Metrics; log: Logger },
): Promise<Tracing> {
  if (config === null) return idsOnly;
  const { ExportedTracing } = await import('./exported-tracing.ts');
  return new ExportedTracing(config, parts);
}

const nothing = (): void => undefined;

/** Spans that nobody records: places in traces, and nothing more. */
export const idsOnly: Tracing = {
  start(_name, { parent = currentTrace() } = {}): Span {
    return { trace: newTraceContext(parent), set: nothing, rename: nothing, fail: nothing, end: nothing };
  },
  [Symbol.asyncDispose]: () => Promise.resolve(),
};
