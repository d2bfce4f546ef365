import { tokensOf } from './tokens.ts';
import type { SpeechEvidence } from './speech-evidence.ts';

/** Words of an echo that speech-to-text may have misheard. */
const MAX_MISHEARD_SHARE = 1 / 3;
/** Speech that goes on for this long after the last played word is the user's: nothing is left to come back. */
const MAX_OUTLASTING_MS = 1000;

/** Proves that a faint scrap of sound is an echo: speech-to-text makes any word of it. */
const PROVEN_BY_SOUND = 0.5;

/**
 * Whether speech is the agent's own voice, as its client sent it back. `evidence.played` covers the time of the speech
 * alone, so without proof by the sound this needs the words in the same order, next to each other, and nearly all of them: one in three may be misheard. A
 * single word counts only `atStart` of a response: later it may well be the user's ("tea or coffee", "coffee").
 */
export function isEcho(text: string, evidence: SpeechEvidence, atStart: boolean): boolean {
  const heard = tokensOf(text);
  const played = tokensOf(evidence.played);
  if (evidence.soundMatch !== null && evidence.soundMatch >= PROVEN_BY_SOUND) return true;
  if (heard.length === 0 || evidence.outlastsPlaybackMs > MAX_OUTLASTING_MS) return false;
  if (heard.length === 1) return atStart && played.includes(heard[0] ?? '');
  // A word counts as played when it is over: an echo may hold the one that is under way.
  const before = heard.slice(0, -1);
  const follows = before.every((word, i) => word === played[played.length - before.length + i]);
  if (follows && (atStart || heard.length > 2)) return true;
  const maxMisheard = Math.floor(heard.length * MAX_MISHEARD_SHARE);
  const stretch = heard.length + maxMisheard;
  return played.some(
    (_word, i) => heard.length - inOrder(heard, played.slice(i, i + stretch)) <= maxMisheard,
  );
}

/** How many of `heard` occur in `played` in the same order (longest common subsequence). */
function inOrder(heard: readonly string[], played: readonly string[]): number {
  let best = new Array<number>(played.length + 1).fill(0);
  for (const word of heard) {
    const next = [0];
    for (const [i, other] of played.entries()) {
      next.push(word === other ? (best[i] ?? 0) + 1 : Math.max(best[i + 1] ?? 0, next[i] ?? 0));
    }
    best = next;
  }
  return best.at(-1) ?? 0;
}
