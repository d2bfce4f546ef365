import type { ModelMessage } from '@calls/conversation';
import { viewConversation } from './conversation-view.ts';
import { intents } from './intents.ts';
import { echo } from './intents/echo.ts';
import { greetingText, readGreeting, readPersona } from './persona.ts';
import { isSummaryRequest, summarise } from './summary.ts';

/** What the script answers. Depends on the messages only, and for questions about the time on `wallMs`. Never empty. */
export function composeReply(messages: readonly ModelMessage[], wallMs: number): string {
  const last = messages.at(-1);
  if (last && isSummaryRequest(last)) return summarise(messages);
  const view = viewConversation(messages, wallMs);
  const persona = readPersona(view.systemPrompt);
  if (persona.fixedAnswer !== undefined) return persona.fixedAnswer;
  if (view.heard === undefined) {
    const asked = view.openingPrompt === undefined ? undefined : readGreeting(view.openingPrompt);
    return asked ?? greetingText(persona);
  }
  const turn = { ...view, heard: view.heard, words: view.heard.toLowerCase().replaceAll('’', "'"), persona };
  for (const intent of intents) {
    const reply = intent(turn);
    if (reply !== undefined) return reply;
  }
  return echo(turn);
}
