import { levelDbfs } from '@calls/audio';

/** Numbers from 0 to below 1, the same ones for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The sound of a quiet room, a line, traffic: energy falls with frequency. Deterministic by `seed`. */
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

/** `samples` as 16-bit audio with this root-mean-square level; peaks beyond full scale are cut. */
function scaledTo(samples: Float64Array, wantedLevelDbfs: number): Int16Array {
  let energy = 0;
  for (const sample of samples) energy += sample * sample;
  if (energy === 0) return new Int16Array(samples.length);
  const gain = (32_768 * 10 ** (wantedLevelDbfs / 20)) / Math.sqrt(energy / samples.length);
  const output = new Int16Array(samples.length);
  samples.forEach((sample, i) => {
    output[i] = clamp(sample * gain);
  });
  return output;
}

/** The same sound at another level. */
export function atLevel(samples: Int16Array, wantedLevelDbfs: number): Int16Array {
  const gain = 10 ** ((wantedLevelDbfs - levelDbfs(samples)) / 20);
  return Number.isFinite(gain) ? samples.map((sample) => clamp(sample * gain)) : samples.slice();
}

export function mix(one: Int16Array, other: Int16Array): Int16Array {
  const output = new Int16Array(one.length);
  one.forEach((sample, i) => {
    output[i] = clamp(sample + (other[i] ?? 0));
  });
  return output;
}

function clamp(value: number): number {
  if (value > 32_767) return 32_767;
  return value < -32_768 ? -32_768 : Math.round(value);
}
