import { clampToInt16, levelDbfs } from '@calls/audio/pcm';

export { pinkNoise, seededRandom } from '@calls/audio/noise';

/** Scales audio to another level. */
export function atLevel(samples: Int16Array, wantedLevelDbfs: number): Int16Array {
  const gain = 10 ** ((wantedLevelDbfs - levelDbfs(samples)) / 20);
  return Number.isFinite(gain) ? samples.map((sample) => clampToInt16(sample * gain)) : samples.slice();
}

export function mix(one: Int16Array, other: Int16Array): Int16Array {
  const output = new Int16Array(one.length);
  one.forEach((sample, i) => {
    output[i] = clampToInt16(sample + (other[i] ?? 0));
  });
  return output;
}
