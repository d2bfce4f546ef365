import { seededRandom } from '@calls/audio/noise';

/** A figure with the interval that contains 95 % of the figures of resampled data. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

const RESAMPLES = 400;

/**
 * A figure of `items` with its bootstrap confidence interval. `figure` receives the weight of each item: first 1 each,
 * then as drawn with replacement. Items must be independent: turns, not the cases of one turn. Deterministic.
 */
export function estimate(items: number, figure: (weights: Uint16Array) => number): Estimate {
  const random = seededRandom(items);
  const weights = new Uint16Array(items).fill(1);
  const value = figure(weights);
  const figures: number[] = [];
  for (let sample = 0; sample < RESAMPLES; sample += 1) {
    weights.fill(0);
    for (let drawn = 0; drawn < items; drawn += 1) {
      const index = Math.floor(random() * items);
      weights[index] = (weights[index] ?? 0) + 1;
    }
    figures.push(figure(weights));
  }
  const sorted = figures.filter((each) => !Number.isNaN(each)).toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? NaN;
  return { value, low: at(0.025), high: at(0.975) };
}
