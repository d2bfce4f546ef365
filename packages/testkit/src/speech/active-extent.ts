import { levelDbfs } from '@calls/audio/pcm';

const STEP_MS = 10;
const BELOW_PEAK_DB = 35;

export interface Extent {
  startMs: number;
  endMs: number;
}

/** The extent from the first to the last 10 ms step louder than 35 dB below the loudest. */
export function activeExtent(samples: Int16Array, sampleRateHz: number): Extent {
  const levels = stepLevels(samples, sampleRateHz);
  const threshold = Math.max(...levels) - BELOW_PEAK_DB;
  const isActive = (level: number): boolean => level >= threshold;
  return {
    startMs: Math.max(0, levels.findIndex(isActive)) * STEP_MS,
    endMs: (levels.findLastIndex(isActive) + 1) * STEP_MS,
  };
}

/** The level of the steps with speech; pauses do not count. */
export function activeLevelDbfs(samples: Int16Array, sampleRateHz: number): number {
  const levels = stepLevels(samples, sampleRateHz);
  const threshold = Math.max(...levels) - BELOW_PEAK_DB;
  const active = levels.filter((level) => level >= threshold);
  const power = active.reduce((sum, level) => sum + 10 ** (level / 10), 0) / active.length;
  return 10 * Math.log10(power);
}

function stepLevels(samples: Int16Array, sampleRateHz: number): number[] {
  const stepSamples = Math.round((STEP_MS * sampleRateHz) / 1000);
  const levels: number[] = [];
  for (let start = 0; start < samples.length; start += stepSamples) {
    levels.push(levelDbfs(samples.subarray(start, start + stepSamples)));
  }
  return levels;
}
