/** Whole numbers below a bound, the same for the same seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below;
}
