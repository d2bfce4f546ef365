import { tokensOf } from '../turn/transcript/tokens.ts';
import { GREETING_PHRASES, type GreetingPhrases } from './greeting-phrases.ts';

export type GreetingKind = keyof GreetingPhrases;

/**
 * In order of precedence: if a text has phrases of several kinds, the first of these counts. "Press 1 to leave a
 * message" is a machine.
 */
export const GREETING_KINDS: readonly GreetingKind[] = [
  'screening',
  'machine',
  'ivr',
  'reached',
  'human',
  'whoIsCalling',
];
/** Only the end of a longer transcript is searched. */
const MAX_CHARS = 2000;

const PHRASES = GREETING_KINDS.map((kind) => ({
  kind,
  phrases: Object.values(GREETING_PHRASES).flatMap((phrases) => phrases[kind]?.split(',').map(wordsOf) ?? []),
}));

/** Classifies the words of a greeting; null if they match no phrase. */
export function greetingKind(text: string): GreetingKind | null {
  const words = wordsOf(text.slice(-MAX_CHARS));
  return PHRASES.find(({ phrases }) => phrases.some((phrase) => words.includes(phrase)))?.kind ?? null;
}

/** The phrases of a kind in all languages, as `wordsOf` returns them. */
export function phrasesOf(kind: GreetingKind): readonly string[] {
  return PHRASES.find((each) => each.kind === kind)?.phrases ?? [];
}

/** Lower-case words without accents, each between spaces. */
export function wordsOf(text: string): string {
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '');
  return ` ${tokensOf(plain).join(' ')} `;
}
