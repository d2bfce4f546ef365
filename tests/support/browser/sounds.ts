import { MICROPHONE_RATE_HZ } from './open-browser.ts';

/** Sample rate of call recordings. */
const RECORDING_RATE_HZ = 16_000;

/** An intermittent tone, so that noise suppression of browsers does not remove it. */
export function beeps(frequencyHz: number, ms: number): Int16Array {
  return Int16Array.from({ length: (ms * MICROPHONE_RATE_HZ) / 1000 }, (_sample, i) => {
    const isOn = Math.floor((i * 1000) / MICROPHONE_RATE_HZ / 150) % 2 === 0;
    return isOn ? 12_000 * Math.sin((2 * Math.PI * frequencyHz * i) / MICROPHONE_RATE_HZ) : 0;
  });
}

/** The audio from the first sound to the first pause of one second, with a short margin. */
export function firstUtterance(samples: Int16Array): Int16Array {
  const [pause, margin] = [RECORDING_RATE_HZ, RECORDING_RATE_HZ / 5];
  const isLoud = (sample: number): boolean => Math.abs(sample) > 500;
  const from = samples.findIndex(isLoud);
  let to = from;
  for (let at = from; at >= 0 && at < Math.min(samples.length, to + pause); at += 1) {
    if (isLoud(samples[at] ?? 0)) to = at;
  }
  return samples.slice(Math.max(0, from - margin), to + margin);
}
