/** Totals of decision points for one setting of a detector. */
export interface Totals {
  pauses: number;
  cut: number;
  ends: number;
  latencyMs: number;
}

/** The false cut-offs of a setting as a fraction of all pauses, and its mean latency. */
export interface OperatingPoint {
  cutShare: number;
  latencyMs: number;
}

export const LATENCY_BUDGET_MS = 300;
export const CUT_BUDGET = 0.05;

export function operatingPoint({ pauses, cut, ends, latencyMs }: Totals): OperatingPoint {
  return { cutShare: cut / pauses, latencyMs: latencyMs / ends };
}

/**
 * The share of false cut-offs at a mean latency of `budgetMs`, interpolated between settings. NaN if every setting is
 * slower.
 */
export function cutShareAt(curve: readonly OperatingPoint[], budgetMs: number): number {
  return interpolated(
    curve.map(({ latencyMs, cutShare }) => ({ at: latencyMs, value: cutShare })),
    budgetMs,
  );
}

/** The lowest mean latency at this share of false cut-offs. NaN if every setting has more. */
export function latencyAt(curve: readonly OperatingPoint[], cutShare: number): number {
  return interpolated(
    curve.map((point) => ({ at: point.cutShare, value: point.latencyMs })),
    cutShare,
  );
}

/** The lowest value of the points up to `at`, and of the lines between neighbouring points at `at`. */
function interpolated(points: readonly { at: number; value: number }[], at: number): number {
  let least = Infinity;
  for (const [i, point] of points.entries()) {
    if (point.at <= at) least = Math.min(least, point.value);
    const next = points[i + 1];
    if (!next || (point.at - at) * (next.at - at) >= 0) continue;
    least = Math.min(
      least,
      point.value + ((next.value - point.value) * (at - point.at)) / (next.at - point.at),
    );
  }
  return Number.isFinite(least) ? least : NaN;
}
