import type { CallToolSpec, StageSpec } from '@calls/api-contract/call-spec';
import type { ModelMessage, ModelRequest, ModelTool, UserContent } from '@calls/engine-ports/language-model';
import { modelMessagesOf, withUserLast, type HistoryEntry } from '../transcript/history.ts';
import type { Cue } from '../turn/turn-types.ts';

/** Prompts for a greeting if nothing in the history requires a response. */
export const GREETING_PROMPT =
  'Greet the caller: the call has just been connected and they can hear you now.';

/** Placeholder for a user message before an opening prompt: models respond to a user. */
export const SILENT_USER = '(The user has not said anything.)';

export interface RequestContext {
  stage: Pick<StageSpec, 'systemPrompt' | 'model' | 'temperature' | 'tools'>;
  history: readonly HistoryEntry[];
  /** Whether to add GREETING_PROMPT or SILENT_USER if nothing requires a response. */
  greetingPromptEnabled: boolean;
}

/**
 * `assuming`: a user message that is not in the history yet. The prompt of an opening applies to this response
 * only; it comes last, as a system message.
 */
export function buildModelRequest(
  { stage, history, greetingPromptEnabled }: RequestContext,
  cue: Cue,
  assuming: UserContent | null,
): ModelRequest {
  const { systemPrompt, model, temperature, tools } = stage;
  const messages: ModelMessage[] = [];
  if (systemPrompt !== '') messages.push({ role: 'system', content: systemPrompt });
  const { before, words } = historyFor(cue, history);
  messages.push(...modelMessagesOf(before));
  const said = joined(words, assuming);
  if (said !== null) messages.push({ role: 'user', content: said });
  const prompt = cue.kind === 'greeting' ? cue.prompt : null;
  const last = messages.at(-1)?.role;
  if (cue.kind !== 'words' && last !== 'user' && last !== 'tool' && greetingPromptEnabled) {
    const greets = cue.kind === 'greeting' && prompt === null;
    messages.push({ role: 'user', content: greets ? GREETING_PROMPT : SILENT_USER });
  }
  if (prompt !== null) messages.push({ role: 'system', content: prompt });
  // Models reject a request without messages.
  if (messages.length === 0) messages.push({ role: 'user', content: SILENT_USER });
  return { model, temperature, messages, ...(tools.length > 0 && { tools: modelToolsOf(tools) }) };
}

function historyFor(cue: Cue, history: readonly HistoryEntry[]): ReturnType<typeof withUserLast> {
  if (cue.kind === 'reply' && cue.continues) return withUserLast(history);
  if (cue.kind !== 'reply' || !cue.replaces) return { before: history, words: null };
  const end = history.findLastIndex(({ role }) => role !== 'agent') + 1;
  return { before: history.slice(0, end), words: null };
}

/** Joins both into one user message. */
function joined(words: string | null, more: UserContent | null): UserContent | null {
  if (words === null || more === null) return more ?? words;
  return typeof more === 'string' ? `${words} ${more}` : [{ type: 'text', text: words }, ...more];
}

/** Converts tools for the model, with only the parameters whose values it chooses. */
function modelToolsOf(tools: readonly CallToolSpec[]): ModelTool[] {
  return tools.map(({ name, definition }) => {
    const parameters = definition.dynamicParameters ?? [];
    return {
      name,
      description: definition.description ?? '',
      parameters: {
        type: 'object',
        properties: Object.fromEntries(parameters.map((each) => [each.name, each.schema ?? {}])),
        required: parameters.filter(({ required }) => required === true).map((each) => each.name),
      },
    };
  });
}
