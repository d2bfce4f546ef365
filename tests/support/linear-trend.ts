/**
 * The increase of a value from its first measurement to its last according to a least-squares line, so that outliers
 * have little effect.
 */
export function linearTrend(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const covariance = values.reduce((sum, value, i) => sum + (i - middle) * (value - mean), 0);
  const variance = values.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
  return (covariance / variance) * (values.length - 1);
}
