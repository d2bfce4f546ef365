/**
 * How much a value grows from its first measurement to its last: by the least-squares line, so that one outlier counts
 * little.
 */
export function growthOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const covariance = values.reduce((sum, value, i) => sum + (i - middle) * (value - mean), 0);
  const variance = values.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
  return (covariance / variance) * (values.length - 1);
}
