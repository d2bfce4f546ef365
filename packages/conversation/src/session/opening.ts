import type { CallSpec } from '@calls/api-contract';
import type { Opening } from '../turn/turn-types.ts';

/** The first speaker of the settings, as the turn reducer takes it. */
export function openingOf({ firstSpeaker }: CallSpec): Opening {
  if (firstSpeaker.who === 'agent') {
    const { text, prompt, delayMs, uninterruptible } = firstSpeaker;
    return { who: 'agent', delayMs, uninterruptible, cue: { kind: 'greeting', text, prompt } };
  }
  const { fallback } = firstSpeaker;
  if (!fallback) return { who: 'user', fallback: null };
  const { text, prompt, delayMs } = fallback;
  return { who: 'user', fallback: { delayMs, cue: { kind: 'greeting', text, prompt } } };
}
