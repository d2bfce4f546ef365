import { patternOf } from '@calls/api-contract/rest/test-scenario';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';

/** Words in lower case, without punctuation. */
function plainWords(text: string): string {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ');
}

/** Whether the text contains the words one after another. */
export function containsWords(text: string, words: string): boolean {
  return ` ${plainWords(text)} `.includes(` ${plainWords(words)} `);
}

/** Whether `text` fits `match`, see TextMatch of scenarios. */
export async function textMatches(text: string, match: string, checks: UntrustedChecks): Promise<boolean> {
  const pattern = patternOf(match);
  return pattern === null ? containsWords(text, match) : (await checks.firstMatch([pattern], text)) === 0;
}
