import { levelDbfs } from '@calls/audio/pcm';
import { activeLevelDbfs, type Extent } from '@calls/testkit/speech/active-extent';

const STEP_MS = 10;
/** Shorter sounds are releases of consonants if they follow speech closely, else clicks. */
const MIN_SOUND_MS = 40;
const MAX_CLOSURE_MS = 200;

/**
 * The extents of speech between pauses of at least `minPauseMs`, in steps of 10 ms. A step is speech if its level is at
 * most `floorDb` below that of the recording's speech.
 */
export function speechExtents(
  samples: Int16Array,
  sampleRateHz: number,
  { floorDb, minPauseMs }: { floorDb: number; minPauseMs: number },
): Extent[] {
  const threshold = activeLevelDbfs(samples, sampleRateHz) - floorDb;
  const stepSamples = (STEP_MS * sampleRateHz) / 1000;
  const extents: Extent[] = [];
  for (let startMs = 0, at = 0; at < samples.length; startMs += STEP_MS, at += stepSamples) {
    if (levelDbfs(samples.subarray(at, at + stepSamples)) < threshold) continue;
    const last = extents.at(-1);
    if (last && startMs - last.endMs < minPauseMs) last.endMs = startMs + STEP_MS;
    else extents.push({ startMs, endMs: startMs + STEP_MS });
  }
  const speech: Extent[] = [];
  for (const extent of extents) {
    const last = speech.at(-1);
    if (extent.endMs - extent.startMs >= MIN_SOUND_MS) speech.push(extent);
    else if (last && extent.startMs - last.endMs < MAX_CLOSURE_MS) last.endMs = extent.endMs;
  }
  return speech;
}

/** The extent from the beginning to the end of speech. Throws if there is no speech. */
export function speechExtent(samples: Int16Array, sampleRateHz: number, floorDb: number): Extent {
  const extents = speechExtents(samples, sampleRateHz, { floorDb, minPauseMs: 100 });
  const [first, last] = [extents[0], extents.at(-1)];
  if (!first || !last) throw new Error('a recording has no speech');
  return { startMs: first.startMs, endMs: last.endMs };
}
