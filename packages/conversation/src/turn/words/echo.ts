import { tokensOf } from './tokens.ts';

/** Words of an echo that may have been recognised as others. */
const MAX_MISHEARD_SHARE = 1 / 3;

/**
 * Whether the words of speech over the agent are only what the agent is just saying, in that order; a third of them may have
 * been misheard. A single word is an echo `atStart` of what the agent says, whatever it is, as scraps of an echo are heard as
 * any word; later it may well be an answer ("tea or coffee", "coffee").
 */
export function isEcho(text: string, agentWords: string, atStart: boolean): boolean {
  const heard = tokensOf(text);
  if (heard.length < 2) return atStart && heard.length === 1;
  const said = tokensOf(agentWords);
  // The last word of the agent's is told when it is over: an echo may have it already. Two words may be an answer.
  const before = heard.slice(0, -1);
  const follows = before.every((word, i) => word === said[said.length - before.length + i]);
  if (follows && (atStart || heard.length > 2)) return true;
  const maxMisheard = Math.floor(heard.length * MAX_MISHEARD_SHARE);
  // What comes back comes back together: words from here and there are no echo.
  const together = heard.length + maxMisheard;
  return said.some((_word, i) => heard.length - inOrder(heard, said.slice(i, i + together)) <= maxMisheard);
}

/** How many of `heard` occur in `said` in the same order (longest common subsequence). */
function inOrder(heard: readonly string[], said: readonly string[]): number {
  let best = new Array<number>(said.length + 1).fill(0);
  for (const word of heard) {
    const next = [0];
    for (const [i, other] of said.entries()) {
      next.push(word === other ? (best[i] ?? 0) + 1 : Math.max(best[i + 1] ?? 0, next[i] ?? 0));
    }
    best = next;
  }
  return best.at(-1) ?? 0;
}
