import type { Logger } from '@calls/foundation/logger';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Metrics } from '../metrics.ts';

const SUCCESS = 0;

/** Counts spans by whether the collector took them, and logs when it stops to, and when it begins again. */
export function countedExporter(
  exporter: SpanExporter,
  { metrics, log }: { metrics: Metrics; log: Logger },
): SpanExporter {
  const spansTotal = metrics.counter<'outcome'>({
    name: 'spans_total',
    help: 'Spans sent to the collector of traces (exported), or not taken by it (failed)',
    labels: ['outcome'],
  });
  let failing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const code: number = result.code;
        const failed = code !== SUCCESS;
        spansTotal.inc({ outcome: failed ? 'failed' : 'exported' }, spans.length);
        if (failed && !failing) log.warn({ err: result.error }, 'spans can not be sent to the collector');
        if (!failed && failing) log.info({}, 'spans can be sent to the collector again');
        failing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
