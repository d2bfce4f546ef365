/** Percentiles, maximum and count of a set of values. All but the count are NaN for an empty set. */
export interface Distribution {
  count: number;
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  max: number;
}

export function distributionOf(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => round(sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN);
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), max: at(1) };
}

/** Rounds to two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
