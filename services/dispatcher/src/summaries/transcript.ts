import type { Message } from '@calls/api-contract/rest/message';

/** Fits any model's context. Of a longer transcript, only the beginning and the end are used. */
const MAX_CHARACTERS = 24_000;

const SPEAKERS: Readonly<Record<string, string | undefined>> = {
  MESSAGE_ROLE_USER: 'User',
  MESSAGE_ROLE_AGENT: 'Agent',
};

/** The transcript, one line per utterance; null if the user said nothing. */
export function transcriptOf(messages: readonly Message[]): string | null {
  const lines: string[] = [];
  let userSpoke = false;
  for (const { role, text } of messages) {
    const speaker = role && SPEAKERS[role];
    const words = text?.replace(/\s+/g, ' ').trim();
    if (!speaker || !words) continue;
    userSpoke ||= role === 'MESSAGE_ROLE_USER';
    lines.push(`${speaker}: ${words}`);
  }
  return userSpoke ? shorten(lines.join('\n')) : null;
}

function shorten(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const half = MAX_CHARACTERS / 2;
  return `${text.slice(0, half).toWellFormed()}\n[…]\n${text.slice(-half).toWellFormed()}`;
}
