import { VAD_WINDOW_MS } from '@calls/engine-ports/voice-activity-detector';
import { LEVELS_PER_WINDOW, type WindowLevels } from './window-levels.ts';

/**
 * Number of windows searched for certain speech. More would cut speakers off: soft speech stays between the threshold
 * and certainty for longer.
 */
const SEARCHED_WINDOWS = 3;
/** Number of windows searched for the loudest speech: a second and a half. */
const REMEMBERED_WINDOWS = 48;
const LEVEL_MS = VAD_WINDOW_MS / LEVELS_PER_WINDOW;

/**
 * Speech ends where its level falls this far below its peak, or to less than ABOVE_SILENCE above the silence that
 * follows.
 */
const BELOW_PEAK = 10 ** (-32 / 10);
const ABOVE_SILENCE = 10 ** (6 / 10);
/**
 * With a smaller difference between the loudest speech and the silence that follows, levels do not show the end of
 * speech.
 */
const MIN_RANGE = 10 ** (25 / 10);

/**
 * Windows have at least this probability up to some 56 ms, and at most 96 ms, after the end of speech, even in noise
 * (tests/bench/turns).
 */
const CERTAIN_PROBABILITY = 0.7;
const CERTAIN_AFTER_END_MS = 56;
const MAX_CERTAIN_AFTER_END_MS = 96;

/**
 * Dates the end of speech. A detector's probability falls below its threshold some 100 ms after speech has ended, later in
 * noise. The level of the sound shows the end itself; in noise, the last window of certain speech does.
 */
export class SpeechEnd {
  readonly #levels = new Float64Array(REMEMBERED_WINDOWS * LEVELS_PER_WINDOW);
  readonly #probabilities = new Float64Array(REMEMBERED_WINDOWS);
  #windows = 0;

  /** Call for every window, in order. */
  push(probability: number, levels: WindowLevels): void {
    const slot = this.#windows % REMEMBERED_WINDOWS;
    this.#levels.set(levels, slot * LEVELS_PER_WINDOW);
    this.#probabilities[slot] = probability;
    this.#windows += 1;
  }

  /** How long before the start of the newest window, the first silent one, speech ended: 0 to 192 ms. */
  beforeSilenceMs(): number {
    const certainMs = this.#sinceCertainMs();
    const silence = this.#windowLevel(0);
    const peak = this.#peak();
    if (peak < silence * MIN_RANGE) return certainMs + CERTAIN_AFTER_END_MS;
    const threshold = Math.max(silence * ABOVE_SILENCE, peak * BELOW_PEAK);
    const maxMs = certainMs + MAX_CERTAIN_AFTER_END_MS;
    let quietMs = 0;
    while (quietMs < maxMs && this.#level(quietMs / LEVEL_MS) < threshold) quietMs += LEVEL_MS;
    return quietMs;
  }

  /** Milliseconds from the last window of certain speech to the newest window; at most SEARCHED_WINDOWS. */
  #sinceCertainMs(): number {
    const searched = Math.min(SEARCHED_WINDOWS, this.#windows - 1);
    let windows = 0;
    while (windows < searched && this.#probability(windows + 1) < CERTAIN_PROBABILITY) windows += 1;
    return windows * VAD_WINDOW_MS;
  }

  #peak(): number {
    return this.#levels.reduce((peak, level) => Math.max(peak, level), 0);
  }

  #probability(windowsAgo: number): number {
    return this.#probabilities[this.#slot(windowsAgo)] ?? 0;
  }

  /** Mean level of a window. */
  #windowLevel(windowsAgo: number): number {
    const from = this.#slot(windowsAgo) * LEVELS_PER_WINDOW;
    const levels = this.#levels.subarray(from, from + LEVELS_PER_WINDOW);
    return levels.reduce((sum, level) => sum + level, 0) / LEVELS_PER_WINDOW;
  }

  /** Level of the part that ended `partsAgo` parts before the newest window. */
  #level(partsAgo: number): number {
    const window = 1 + Math.floor(partsAgo / LEVELS_PER_WINDOW);
    const part = LEVELS_PER_WINDOW - 1 - (partsAgo % LEVELS_PER_WINDOW);
    return this.#levels[this.#slot(window) * LEVELS_PER_WINDOW + part] ?? 0;
  }

  #slot(windowsAgo: number): number {
    return (this.#windows - 1 - windowsAgo + REMEMBERED_WINDOWS) % REMEMBERED_WINDOWS;
  }
}
