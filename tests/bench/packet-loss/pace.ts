import { setTimeout as sleep } from 'node:timers/promises';
import { OPUS_FRAME_MS } from '@calls/audio/opus';

/** Passes frames to `say` in real time. */
export async function sayAtPace(
  samples: Int16Array,
  sampleRateHz: number,
  say: (frame: Int16Array) => void,
): Promise<void> {
  const frame = (sampleRateHz * OPUS_FRAME_MS) / 1000;
  const startMs = performance.now();
  for (let start = 0; start + frame <= samples.length; start += frame) {
    const dueMs = startMs + (start / sampleRateHz) * 1000;
    await sleep(Math.max(0, dueMs - performance.now()));
    say(samples.subarray(start, start + frame));
  }
}
