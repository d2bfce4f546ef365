import type { Logger } from '@calls/foundation/logger';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Metrics } from '../metrics.ts';

const SUCCESS = 0;

/** Counts exported and failed spans, and logs when exporting starts to fail and recovers. */
export function countedExporter(
  exporter: SpanExporter,
  { metrics, log }: { metrics: Metrics; log: Logger },
): SpanExporter {
  const spansTotal = metrics.counter<'outcome'>({
    name: 'spans_total',
    help: 'Spans that were exported or failed; only with a trace collector',
    labels: ['outcome'],
  });
  let failing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const code: number = result.code;
        const failed = code !== SUCCESS;
        spansTotal.inc({ outcome: failed ? 'failed' : 'exported' }, spans.length);
        if (failed && !failing) log.warn({ err: result.error }, 'failed to export spans to the collector');
        if (!failed && failing) log.info({}, 'resumed exporting spans to the collector');
        failing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
