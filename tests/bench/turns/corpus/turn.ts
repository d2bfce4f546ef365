import type { Extent } from '@calls/testkit/speech/active-extent';
import type { Recording, Speaker } from '../recordings/recording.ts';

/**
 * Kinds of pauses within a turn: in a phrase ("you have … three new messages"), between the groups of a spoken
 * number, after a filler, after a clause, or between sentences. `short`: stops of 100 ms or more within a recording.
 */
export const PAUSE_KINDS = ['short', 'phrase', 'number', 'filler', 'clause', 'sentence'] as const;
export type PauseKind = (typeof PAUSE_KINDS)[number];

export interface Pause {
  kind: PauseKind;
  durationMs: number;
}

/** A recording, or a stretch of it between pauses. */
export interface Part {
  recording: Recording;
  /** Extent of the speech in the recording as `readSpeech` returns it. */
  extent: Extent;
  text: string;
  /** The pause after the part; null after the last part and between parts that the speaker joins. */
  pause: Pause | null;
}

/** Speech of a user until it is the agent's turn. The last part ends the turn. */
export interface Turn {
  /** Unique, the same for the same seed: `<speaker>-<number>`. */
  id: string;
  speaker: Speaker;
  parts: readonly Part[];
}
