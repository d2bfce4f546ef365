import { phrasesOf, wordsOf } from '../answering-machine/greeting-kind.ts';
import { PROMPT_PHRASES, type PromptPhrases } from './prompt-phrases.ts';

/** What speaks: a phone menu or a person. */
export type PromptKind = 'menu' | 'person';

/** Only the end of a longer transcript is searched. */
const MAX_CHARS = 2000;
/** Maximum length of a person's greeting. A menu's prompt that includes a greeting is longer. */
const MAX_HELLO_WORDS = 4;

const MENU = [...phrasesOf('ivr'), ...listOf('menu')];
const PERSON = [...phrasesOf('human'), ...phrasesOf('whoIsCalling')];
const HELLO = listOf('hello');

/**
 * Classifies the words of an utterance; null if they match no phrase. The last phrase counts, because a menu can
 * connect to a person.
 */
export function promptKind(text: string): PromptKind | null {
  const words = wordsOf(text.slice(-MAX_CHARS));
  const menuAt = lastOf(words, MENU);
  const personAt = lastOf(words, PERSON);
  if (menuAt >= 0 || personAt >= 0) return personAt > menuAt ? 'person' : 'menu';
  const isShort = words.trim().split(' ').length <= MAX_HELLO_WORDS;
  return isShort && lastOf(words, HELLO) >= 0 ? 'person' : null;
}

/** Whether one of these options was said. */
export function saysOption(text: string, options: readonly string[]): boolean {
  const words = wordsOf(text);
  return options.some((option) => wordsOf(option).trim() !== '' && words.includes(wordsOf(option)));
}

function listOf(kind: keyof PromptPhrases): readonly string[] {
  return Object.values(PROMPT_PHRASES).flatMap((phrases) => phrases[kind].split(',').map(wordsOf));
}

function lastOf(words: string, phrases: readonly string[]): number {
  return Math.max(...phrases.map((phrase) => words.lastIndexOf(phrase)));
}
