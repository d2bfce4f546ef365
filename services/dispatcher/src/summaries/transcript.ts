import type { Message } from '@calls/api-contract/rest/message';
import type { Database } from '@calls/store/store';
import { inCallMessagesOf } from '@calls/store/tables/call-messages';

const MAX_MESSAGES = 2000;
/** Fits into the context of any model. Of a longer transcript, only the beginning and the end are used. */
const MAX_CHARACTERS = 24_000;
const MAX_TOOL_CHARACTERS = 500;

const SPEAKERS: Readonly<Record<string, string | undefined>> = {
  MESSAGE_ROLE_USER: 'User',
  MESSAGE_ROLE_AGENT: 'Agent',
};
const TOOLS: Readonly<Record<string, string | undefined>> = {
  MESSAGE_ROLE_TOOL_CALL: 'Tool call',
  MESSAGE_ROLE_TOOL_RESULT: 'Tool result',
};

export interface TranscriptOptions {
  /** Whether it includes tool calls and their results. */
  withTools?: boolean;
}

/** The transcript of a stored call, as `transcriptOf` writes it. */
export async function transcriptOfCall(
  db: Database,
  callId: string,
  options?: TranscriptOptions,
): Promise<string | null> {
  const rows = await inCallMessagesOf(db, callId).fetch({
    from: null,
    direction: 'next',
    limit: MAX_MESSAGES,
  });
  const messages = rows.map((row) => row.message);
  return transcriptOf(messages, options);
}

/** The transcript, one line per utterance; null if the user said nothing. */
export function transcriptOf(
  messages: readonly Message[],
  { withTools = false }: TranscriptOptions = {},
): string | null {
  const lines: string[] = [];
  let userSpoke = false;
  for (const { role = '', text, toolName = '' } of messages) {
    const words = text?.replace(/\s+/g, ' ').trim();
    if (!words) continue;
    const [speaker, tool] = [SPEAKERS[role], TOOLS[role]];
    userSpoke ||= role === 'MESSAGE_ROLE_USER';
    if (speaker) lines.push(`${speaker}: ${words}`);
    else if (tool && withTools) lines.push(`${tool} ${toolName}: ${words.slice(0, MAX_TOOL_CHARACTERS)}`);
  }
  return userSpoke ? shorten(lines.join('\n')) : null;
}

function shorten(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const half = MAX_CHARACTERS / 2;
  return `${text.slice(0, half).toWellFormed()}\n[…]\n${text.slice(-half).toWellFormed()}`;
}
