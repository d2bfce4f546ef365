import { tokensOf } from './tokens.ts';

/** Share of the words of an echo that speech-to-text may misrecognize. */
const MAX_MISRECOGNIZED_SHARE = 1 / 3;
/** Speech that continues for this long after the last played word is the user's. */
const MAX_OUTLASTING_MS = 1000;

/** People take longer to say a word. */
const MIN_WORD_MS = 130;

/** Correlation above which audio at the delay of an earlier echo contains the agent's voice, as does reverberation. */
const PROVEN_BY_DELAY = 0.3;

/** Correlation above which faint audio is an echo, regardless of its transcript. */
const PROVEN_BY_AUDIO = 0.5;

/**
 * Whether the speech is an echo of the agent's voice. `evidence.played` covers only the time of the speech.
 * Without proof by audio, nearly all words must match consecutive played words in order; one in three may be
 * misrecognized. A single word counts only `atStart` of a response, if it is too short for a word, or if its audio
 * matches what was played as well: otherwise it may be the user's ("tea or coffee", "coffee").
 */
export function isEcho(text: string, evidence: SpeechEvidence, atStart: boolean): boolean {
  const words = tokensOf(text);
  const played = tokensOf(evidence.played);
  if (evidence.soundMatch !== null && evidence.soundMatch >= PROVEN_BY_AUDIO) return true;
  if (words.length === 0 || evidence.outlastsPlaybackMs > MAX_OUTLASTING_MS) return false;
  const isFragment = evidence.durationMs < MIN_WORD_MS;
  const soundsPlayed = (evidence.echoMatch ?? 0) >= PROVEN_BY_DELAY;
  if (words.length === 1) return (atStart || isFragment || soundsPlayed) && played.includes(words[0] ?? '');
  // A word counts as played once it is over; an echo may contain the one still playing.
  const before = words.slice(0, -1);
  const follows = before.every((word, i) => word === played[played.length - before.length + i]);
  if (follows && (atStart || words.length > 2)) return true;
  const maxMisrecognized = Math.floor(words.length * MAX_MISRECOGNIZED_SHARE);
  const stretch = words.length + maxMisrecognized;
  return played.some(
    (_word, i) => words.length - inOrder(words, played.slice(i, i + stretch)) <= maxMisrecognized,
  );
}

/** Length of the longest common subsequence. */
function inOrder(words: readonly string[], played: readonly string[]): number {
  let best = new Array<number>(played.length + 1).fill(0);
  for (const word of words) {
    const next = [0];
    for (const [i, other] of played.entries()) {
      next.push(word === other ? (best[i] ?? 0) + 1 : Math.max(best[i + 1] ?? 0, next[i] ?? 0));
    }
    best = next;
  }
  return best.at(-1) ?? 0;
}

/** Evidence about an utterance besides its transcript. */
export interface SpeechEvidence {
  /** Words that the agent played during the utterance, or so shortly before it that their echo may be in it. */
  played: string;
  /**
   * How long the speech continued after the last of these words; 0 if none was played or one is still playing.
   */
  outlastsPlaybackMs: number;
  /** From the first to the last speech of the utterance, including pauses. */
  durationMs: number;
  /**
   * Correlation (0 to 1) between its audio and what was played. Null if not measured: it is measured only for
   * short and faint final utterances, as echo cancellers leave them.
   */
  soundMatch: number | null;
  /**
   * The same correlation, only at the delay of an echo that was found earlier in the call. Null if none was found or
   * nothing was played.
   */
  echoMatch: number | null;
}
