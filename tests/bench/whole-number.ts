/** Parses an option. Throws an Error that describes the invalid value. */
export function wholeNumber(
  name: string,
  text: string,
  bounds: { min: number; max: number; usage: string },
): number {
  const value = Number(text);
  const { min, max, usage } = bounds;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}, not "${text}"\n${usage}`);
}
