import { concatSamples } from '@calls/audio/pcm';
import type { Extent } from '@calls/testkit/speech/active-extent';
import { silence } from '@calls/testkit/speech/shaping';
import { RATE_HZ, readSpeech } from '../recordings/read-recording.ts';
import { speechExtents } from '../recordings/speech-extents.ts';
import { throughChannel, type Backgrounds, type Channel } from './channels.ts';
import { Draws } from './random.ts';
import type { Pause, Turn } from './turn.ts';

/** A turn on a channel: one recording for the test of a detector. */
export interface TurnCase {
  /** `<turn>-<channel>`. */
  id: string;
  turn: Turn;
  channel: Channel;
}

/** A stretch of speech in the audio of a case, and the silence after it. */
export interface SpokenPart extends Extent {
  text: string;
  pause: Pause | null;
}

export interface CaseAudio {
  /** Audio at 16 kHz. */
  samples: Int16Array;
  /** True extents of speech. The last one's end is the end of the turn. */
  parts: readonly SpokenPart[];
}

/** Length of the audio before the turn, in which the VAD adapts to the background. */
const LEAD_MS = 800;
/** Length of the silence after the turn. A detector that has not decided by then has missed the end of the turn. */
export const TAIL_MS = 3000;
const JOINED_MS = { least: 40, most: 90 };
const SAMPLES_PER_MS = RATE_HZ / 1000;
/** Duration of the reverberation that follows a part. */
const DECAY_MS = 250;
const ONSET_MS = 40;
/** Shorter stops are not decision points. */
const MIN_STOP_MS = 100;

/** The audio of a case. Deterministic for the same case, seed and packages. */
export async function audioOf(
  { id, turn, channel }: TurnCase,
  backgrounds: Backgrounds,
  seed: number,
): Promise<CaseAudio> {
  const draws = new Draws(seed, `audio of ${turn.id}`);
  const pieces: Int16Array[] = [silence(LEAD_MS, RATE_HZ)];
  const parts: SpokenPart[] = [];
  let atMs = LEAD_MS;
  for (const [i, { recording, extent, text, pause }] of turn.parts.entries()) {
    const isLast = i === turn.parts.length - 1;
    const joinedMs = JOINED_MS.least + draws.index(JOINED_MS.most - JOINED_MS.least);
    const gapMs = isLast ? TAIL_MS : (pause?.durationMs ?? joinedMs);
    const speech = await readSpeech(recording);
    const durationMs = extent.endMs - extent.startMs;
    const sound = speech.slice(extent.startMs * SAMPLES_PER_MS, extent.endMs * SAMPLES_PER_MS);
    const decay = fadedOut(
      speech.slice(
        extent.endMs * SAMPLES_PER_MS,
        (extent.endMs + Math.min(DECAY_MS, gapMs - ONSET_MS)) * SAMPLES_PER_MS,
      ),
    );
    pieces.push(sound, decay, silence(gapMs, RATE_HZ).subarray(decay.length));
    parts.push(...stretchesOf(sound, recording.speaker.floorDb, atMs, text, pause));
    atMs += durationMs + gapMs;
  }
  const samples = throughChannel(concatSamples(pieces), channel, backgrounds, new Draws(seed, id));
  return { samples, parts };
}

/** A part, split at the speaker's own stops. Words are assigned by their share of the time. */
function stretchesOf(
  sound: Int16Array,
  floorDb: number,
  atMs: number,
  text: string,
  pause: Pause | null,
): SpokenPart[] {
  const extents = speechExtents(sound, RATE_HZ, { floorDb, minPauseMs: MIN_STOP_MS });
  const words = text.split(/\s+/u);
  const spokenMs = extents.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  let doneMs = 0;
  let wordsDone = 0;
  return extents.map(({ startMs, endMs }, i) => {
    doneMs += endMs - startMs;
    const next = extents[i + 1];
    const wordsBy = next ? Math.round((words.length * doneMs) / spokenMs) : words.length;
    const own = words.slice(wordsDone, wordsBy).join(' ');
    wordsDone = wordsBy;
    return {
      startMs: atMs + startMs,
      endMs: atMs + endMs,
      text: own,
      pause: next ? { kind: 'short', durationMs: next.startMs - endMs } : pause,
    };
  });
}

function fadedOut(samples: Int16Array): Int16Array {
  return samples.map((sample, i) => Math.round(sample * (1 - i / samples.length)));
}
