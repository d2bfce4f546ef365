import type { ModelMessage, ModelTool } from '@calls/engine-ports/language-model';
import { viewConversation } from './conversation-view.ts';
import { followPrompt } from './follow-prompt.ts';
import { intents } from './intents.ts';
import { goodbye, leaves, no } from './intents/courtesies.ts';
import { echo } from './intents/echo.ts';
import type { Turn } from './intents/intent.ts';
import { greetingText, readPersona } from './persona.ts';
import { isSummaryRequest, summarize } from './summary.ts';
import { describedTool, hangUpTool, namedTool, type ChosenCall } from './tools/choose-call.ts';
import { viewTool } from './tools/offered-tool.ts';
import { readResults } from './tools/read-results.ts';

/** Text, a tool call, or both. */
export interface Reply {
  text: string;
  call?: ChosenCall | undefined;
}

/** Depends only on messages and tools, and on `wallMs` for questions about the time. */
export function composeReply(
  messages: readonly ModelMessage[],
  wallMs: number,
  tools: readonly ModelTool[] = [],
): Reply {
  const last = messages.at(-1);
  if (last && isSummaryRequest(last)) return { text: summarize(messages) };
  const results = readResults(messages);
  if (results !== undefined) return { text: results };
  const view = viewConversation(messages, wallMs);
  const persona = readPersona(view.systemPrompt);
  if (persona.fixedAnswer !== undefined) return { text: persona.fixedAnswer };
  if (view.callerText === undefined) {
    const asked = view.openingPrompt === undefined ? undefined : followPrompt(view.openingPrompt, persona);
    return { text: asked ?? greetingText(persona) };
  }
  const words = view.callerText.toLowerCase().replaceAll('’', "'");
  return answerTurn({ ...view, callerText: view.callerText, words, persona }, tools);
}

function answerTurn(turn: Turn, tools: readonly ModelTool[]): Reply {
  const offered = tools.map(viewTool);
  const named = namedTool(turn, offered);
  if (named) return { text: '', call: named };
  for (const intent of intents) {
    const text = intent(turn);
    if (text === undefined) continue;
    const isLast = (intent === goodbye || intent === no) && leaves(turn);
    return { text, call: isLast ? hangUpTool(turn, offered) : undefined };
  }
  const described = describedTool(turn, offered);
  return described ? { text: '', call: described } : { text: echo(turn) };
}
