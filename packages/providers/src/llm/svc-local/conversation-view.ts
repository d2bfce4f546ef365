import type { ModelMessage } from '@calls/conversation/ports/language-model';
import { messageText } from '../message-text.ts';

/** The messages as the script looks at them. */
export interface ConversationView {
  systemPrompt: string;
  /** The caller's last message; undefined when the agent opens the conversation. */
  callerText: string | undefined;
  /** An instruction that stands in for the caller's words: a prompt for a greeting. */
  openingPrompt: string | undefined;
  /** The agent's answers so far, oldest first. */
  said: readonly string[];
  /** The caller's turns so far, the last one included. */
  callerTurns: readonly string[];
  wallMs: number;
}

/** Instructions to open the call come as a last system message, or as a user message that is no speech. */
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
