const MAX_STEPS = 4;

/** Round values from 0 to at least the maximum; whole numbers for counts. */
export function axisTicks(largest: number, isCount: boolean): readonly number[] {
  const least = isCount ? 1 : 0.1;
  const rough = Math.max(largest / MAX_STEPS, least / 10);
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    least,
    [1, 2, 5, 10].map((factor) => factor * magnitude).find((candidate) => candidate >= rough - 1e-9) ??
      10 * magnitude,
  );
  const count = Math.max(1, Math.ceil(largest / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(6)));
}

/** Shows every n-th label, so that each has enough room. */
export function labelEvery(count: number, widthPx: number, labelPx: number): number {
  return widthPx <= 0 ? count : Math.max(1, Math.ceil((count * labelPx) / widthPx));
}
