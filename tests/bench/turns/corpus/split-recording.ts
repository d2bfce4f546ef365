import type { Extent } from '@calls/testkit/speech/active-extent';
import { RATE_HZ, readSpeech } from '../recordings/read-recording.ts';
import type { Recording } from '../recordings/recording.ts';
import { speechExtents } from '../recordings/speech-extents.ts';

/** Pauses of speakers at punctuation. Shorter ones are stops between or within words. */
const MIN_PAUSES_MS = [120, 160, 200];
const MAX_PIECES = 6;

/** Speech between two pauses that the speaker made, with its part of the text. */
export interface Piece {
  recording: Recording;
  extent: Extent;
  /** The text, including the punctuation at its end. */
  text: string;
}

/**
 * Splits a recording at pauses of the speaker at punctuation. Null if no minimum duration of pauses makes them match
 * the punctuation one to one, because it is unknown then which words precede a pause.
 */
export async function splitRecording(recording: Recording): Promise<Piece[] | null> {
  const texts = textsBetweenPauses(recording.text);
  if (texts.length > MAX_PIECES) return null;
  const speech = await readSpeech(recording);
  for (const minPauseMs of MIN_PAUSES_MS) {
    const extents = speechExtents(speech, RATE_HZ, { floorDb: recording.speaker.floorDb, minPauseMs });
    if (extents.length !== texts.length || !isPlausible(extents, texts)) continue;
    return extents.map((extent, i) => ({ recording, extent, text: texts[i] ?? '' }));
  }
  return null;
}

/** "Hello, you. Press 1." → "Hello,", "you.", "Press 1." */
function textsBetweenPauses(text: string): string[] {
  return text
    .split(/(?<=[.!?…,;:])\s+/u)
    .map((part) => part.trim())
    .filter((part) => /\p{L}|\d/u.test(part));
}

/** Requires similar letter rates of the pieces, so that other pauses are not mistaken for those at punctuation. */
function isPlausible(extents: readonly Extent[], texts: readonly string[]): boolean {
  const rates = extents.map(({ startMs, endMs }, i) => (texts[i]?.length ?? 0) / (endMs - startMs));
  return Math.max(...rates) < 3 * Math.min(...rates);
}
