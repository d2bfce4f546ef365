import { unhandledRejections } from '@calls/foundation/unhandled-rejections';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

interface MetricOptions<L extends string> {
  /** snake_case with the unit last (`_ms`, `_bytes`, `_total`); the prefix `calls_` is added. */
  name: string;
  help: string;
  labels?: readonly L[];
}

interface CountedOptions<L extends string> extends MetricOptions<L> {
  /** Label values that are exported as 0 from the start: Prometheus sees no increase in the first value of a series. */
  zero?: readonly Record<L, string>[];
}

/** Creates the metrics of this process in a registry that also holds Node's. */
export interface Metrics {
  readonly registry: Registry;
  counter<L extends string = never>(options: CountedOptions<L>): Counter<L>;
  /** `collect` runs at each scrape, for values that are cheap to read. */
  gauge<L extends string = never>(options: MetricOptions<L> & { collect?: () => number }): Gauge<L>;
  histogram<L extends string = never>(
    options: CountedOptions<L> & { buckets: readonly number[] },
  ): Histogram<L>;
}

/** Latency buckets in milliseconds, from a fraction of a frame to a stalled dependency. */
export const LATENCY_BUCKETS_MS = [1, 2, 5, 10, 20, 40, 60, 100, 200, 500, 1000, 2000, 5000, 10_000] as const;

/** Buckets up to an hour, for work that waits during outages. */
export const WAIT_BUCKETS_MS = [...LATENCY_BUCKETS_MS, 30_000, 60_000, 300_000, 3_600_000] as const;

/** A separate registry, so that several services can run in one test process. */
export function createMetrics(options: { service: string }): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service: options.service });
  // Includes event-loop lag percentiles, heap, garbage collections and open handles.
  collectDefaultMetrics({ register: registry });
  const common = <L extends string>(metric: MetricOptions<L>) => ({
    name: `calls_${metric.name}`,
    help: metric.help,
    labelNames: metric.labels ?? [],
    registers: [registry],
  });
  new Counter({
    ...common({
      name: 'unhandled_rejections_total',
      help: 'Rejected promises without a handler',
    }),
    collect() {
      this.reset();
      this.inc(unhandledRejections());
    },
  });
  return {
    registry,
    counter: (metric) => {
      const counter = new Counter(common(metric));
      for (const labels of metric.zero ?? []) counter.inc(labels, 0);
      return counter;
    },
    gauge: (metric) => {
      const { collect } = metric;
      return new Gauge({
        ...common(metric),
        ...(collect && {
          collect() {
            this.set(collect());
          },
        }),
      });
    },
    histogram: (metric) => {
      const histogram = new Histogram({ ...common(metric), buckets: [...metric.buckets] });
      for (const labels of metric.zero ?? []) histogram.zero(labels);
      return histogram;
    },
  };
}
