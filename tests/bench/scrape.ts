/** The metrics of a process at one time. */
export class MetricsReading {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = text.split('\n');
  }

  static async of(port: number): Promise<MetricsReading> {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(5000) });
    return new MetricsReading(await response.text());
  }

  /** The sum of a metric over its label values. */
  value(name: string): number {
    let sum = 0;
    for (const line of this.#lines) {
      if (line.startsWith(`${name} `) || line.startsWith(`${name}{`)) sum += valueOf(line);
    }
    return sum;
  }

  /** Cumulative counts of a histogram by upper bound, in order. */
  buckets(name: string): Map<number, number> {
    const counts = new Map<number, number>();
    for (const line of this.#lines) {
      if (!line.startsWith(`${name}_bucket{`)) continue;
      const bound = /le="([^"]+)"/.exec(line)?.[1] ?? '';
      counts.set(bound === '+Inf' ? Infinity : Number(bound), valueOf(line));
    }
    return counts;
  }
}

function valueOf(line: string): number {
  return Number(line.slice(line.lastIndexOf(' ') + 1));
}

/** Upper bound of the bucket that contains this quantile of the values between two readings. NaN without values. */
export function quantileBound(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
  part: number,
): number {
  const total = (after.get(Infinity) ?? 0) - (before.get(Infinity) ?? 0);
  if (total === 0) return Number.NaN;
  for (const [bound, count] of after) {
    if (count - (before.get(bound) ?? 0) >= total * part) return bound;
  }
  return Infinity;
}
