import type { ModelMessage } from '@calls/engine-ports/language-model';
import { messageText } from '../message-text.ts';

/** The messages in the form that the script needs. */
export interface ConversationView {
  systemPrompt: string;
  /** The caller's last message; undefined if the agent opens the conversation. */
  callerText: string | undefined;
  /** The prompt for a greeting, if it replaces the caller's words. */
  openingPrompt: string | undefined;
  /** The agent's responses so far, oldest first. */
  said: readonly string[];
  /** The caller's turns so far, including the last. */
  callerTurns: readonly string[];
  wallMs: number;
}

/** Instructions to open the call are a last system message, or a user message that is not speech. */
const OPENING_REQUEST =
  /^\(The user has not said anything\.\)$|^\W*(?:new call|the (?:call|conversation) (?:has )?(?:just )?(?:begins?|began|started|connected)|(?:please )?(?:greet|welcome|introduce yourself to) (?:the |your )?(?:user|caller|customer|person|them|me))\b/i;

export function viewConversation(messages: readonly ModelMessage[], wallMs: number): ConversationView {
  const [first, ...rest] = messages;
  const systemPrompt = first?.role === 'system' ? first.content : '';
  const turns = first?.role === 'system' ? rest : messages;
  const last = turns.at(-1);
  const opens = last?.role === 'user' ? OPENING_REQUEST.test(messageText(last)) : last?.role === 'system';
  return {
    systemPrompt,
    callerText: last?.role === 'user' && !opens ? messageText(last).trim() : undefined,
    openingPrompt: opens && last ? messageText(last) : undefined,
    said: turns
      .filter(({ role }) => role === 'assistant')
      .map(messageText)
      .filter((words) => words !== ''),
    callerTurns: turns
      .filter(({ role }) => role === 'user')
      .map((turn) => messageText(turn).trim())
      .filter((words) => !OPENING_REQUEST.test(words)),
    wallMs,
  };
}
