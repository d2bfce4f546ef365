import { VAD_WINDOW_SAMPLES } from '@calls/engine-ports/voice-activity-detector';

/** Levels of a window in parts of 8 ms: four mean squares of samples, oldest first. */
export type WindowLevels = Float64Array;

export const LEVELS_PER_WINDOW = 4;
const PART_SAMPLES = VAD_WINDOW_SAMPLES / LEVELS_PER_WINDOW;
const FULL_SCALE = 32_768 * 32_768;

export function windowLevels(window: Int16Array): WindowLevels {
  const levels = new Float64Array(LEVELS_PER_WINDOW);
  for (let part = 0; part < LEVELS_PER_WINDOW; part += 1) {
    let energy = 0;
    // Four times as fast as an iterator.
    for (let i = part * PART_SAMPLES, end = i + PART_SAMPLES; i < end; i += 1)
      energy += (window[i] ?? 0) ** 2;
    levels[part] = energy / PART_SAMPLES;
  }
  return levels;
}

/** The level of the whole window in decibels below full scale; -Infinity for digital silence. */
export function wholeLevelDbfs(levels: WindowLevels): number {
  return levelDbfs(wholeMeanSquare(levels));
}

/** The mean square of the samples of the whole window. */
export function wholeMeanSquare(levels: WindowLevels): number {
  return levels.reduce((sum, level) => sum + level, 0) / levels.length;
}

/** A mean square of samples in decibels below full scale; -Infinity for digital silence. */
export function levelDbfs(meanSquare: number): number {
  return 10 * Math.log10(meanSquare / FULL_SCALE);
}
