import { clampToInt16 } from './pcm.ts';

/** Pseudo-random numbers in [0, 1) from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Pink noise, similar to a quiet room, a line or traffic: energy falls with frequency. Deterministic by `seed`.
 */
export function pinkNoise(sampleCount: number, noiseLevelDbfs: number, seed: number): Int16Array {
  const random = seededRandom(seed);
  // Paul Kellet's economy filter: white noise through three one-pole filters is pink within 0.5 dB.
  let low = 0;
  let middle = 0;
  let high = 0;
  const shape = new Float64Array(sampleCount);
  for (let i = 0; i < sampleCount; i += 1) {
    const white = random() * 2 - 1;
    low = 0.99765 * low + white * 0.099046;
    middle = 0.963 * middle + white * 0.2965164;
    high = 0.57 * high + white * 1.0526913;
    shape[i] = low + middle + high + white * 0.1848;
  }
  return scaledTo(shape, noiseLevelDbfs);
}

/**
 * Brown noise, similar to waves or wind: energy falls with the square of frequency, from some 13 Hz on at 16
 * kHz. Deterministic by `seed`.
 */
export function brownNoise(sampleCount: number, noiseLevelDbfs: number, seed: number): Int16Array {
  const random = seededRandom(seed);
  let sum = 0;
  const shape = Float64Array.from({ length: sampleCount }, () => {
    sum = 0.995 * sum + random() * 2 - 1;
    return sum;
  });
  return scaledTo(shape, noiseLevelDbfs);
}

/** Scales `samples` to 16-bit audio with this root-mean-square level; peaks are clipped. */
function scaledTo(samples: Float64Array, wantedLevelDbfs: number): Int16Array {
  let energy = 0;
  for (const sample of samples) energy += sample * sample;
  if (energy === 0) return new Int16Array(samples.length);
  const gain = (32_768 * 10 ** (wantedLevelDbfs / 20)) / Math.sqrt(energy / samples.length);
  const output = new Int16Array(samples.length);
  samples.forEach((sample, i) => {
    output[i] = clampToInt16(sample * gain);
  });
  return output;
}
