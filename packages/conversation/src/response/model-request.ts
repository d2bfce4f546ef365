import type { ModelMessage, ModelRequest } from '../ports/language-model.ts';
import type { LoggedMessage } from '../transcript/conversation-log.ts';
import type { Cue } from '../turn/turn-types.ts';

/** Asks for an opening where nothing in the history asks for an answer. */
export const GREETING_PROMPT =
  'Greet the caller: the call has just been connected and they can hear you now.';

export interface ModelSettings {
  systemPrompt: string;
  model: string;
  temperature: number;
  greetingPromptEnabled: boolean;
}

/** `assuming`: what the user seems to have said and the history does not hold yet. */
export function buildModelRequest(
  settings: ModelSettings,
  history: readonly LoggedMessage[],
  cue: Cue & { kind: 'greeting' | 'reply' },
  assuming: string | null,
): ModelRequest {
  const messages: ModelMessage[] = [];
  if (settings.systemPrompt !== '') messages.push({ role: 'system', content: settings.systemPrompt });
  for (const { role, text } of history) {
    messages.push({ role: role === 'user' ? 'user' : 'assistant', content: text });
  }
  if (assuming !== null) messages.push({ role: 'user', content: assuming });
  const prompt = cue.kind === 'greeting' ? cue.prompt : null;
  if (prompt !== null) {
    messages.push({ role: 'user', content: prompt });
  } else if (messages.at(-1)?.role !== 'user' && settings.greetingPromptEnabled) {
    messages.push({ role: 'user', content: GREETING_PROMPT });
  }
  return { model: settings.model, temperature: settings.temperature, messages };
}
