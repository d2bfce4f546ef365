import { clampToInt16 } from './pcm.ts';

/**
 * Makes a loop of `samples`: the last `fadeSamples` (at most half) crossfade into the first, with equal power,
 * as suits uncorrelated audio. The loop is shorter by the fade.
 */
export function seamlessLoop(samples: Int16Array, fadeSamples: number): Int16Array {
  const fade = Math.min(fadeSamples, samples.length >> 1);
  const loop = samples.slice(0, samples.length - fade);
  for (let i = 0; i < fade; i += 1) {
    const angle = (Math.PI / 2) * ((i + 0.5) / fade);
    const rising = (samples[i] ?? 0) * Math.sin(angle);
    const falling = (samples[loop.length + i] ?? 0) * Math.cos(angle);
    loop[i] = clampToInt16(rising + falling);
  }
  return loop;
}
