import type { TestScenario } from '@calls/api-contract/rest/test-scenario';
import type { LanguageModel, ModelMessage, ModelTool } from '@calls/engine-ports/language-model';
import type { Caller, CallerCall } from './caller.ts';

const DEFAULT_MAX_TURNS = 20;
const HANG_UP: ModelTool = {
  name: 'hang_up',
  description: 'Ends the call. Use it when the goal is reached or cannot be reached, after saying goodbye.',
  parameters: { type: 'object', properties: {} },
};

/** A model that plays callers. */
export interface CallerModel {
  name: string;
  languageModel: LanguageModel;
}

/** Plays a caller with a goal: says what the model writes, until it hangs up. */
export async function playPersona(
  { goal = '', persona, maxTurns = DEFAULT_MAX_TURNS }: TestScenario['caller'],
  caller: Caller,
  call: CallerCall,
  model: CallerModel,
): Promise<string | null> {
  const role = [
    'You play a person who calls a company by phone. An agent answers. You are the caller, never the agent.',
    ...(persona === undefined ? [] : [`Who you are: ${persona}`]),
    `What you want: ${goal}`,
    'Answer in one or two short spoken sentences. Give details only when asked. Call hang_up when you are done.',
  ];
  const messages: ModelMessage[] = [{ role: 'system', content: role.join('\n') }];
  for (let turn = 0; turn < maxTurns; turn += 1) {
    await caller.listen();
    if (call.isOver()) return null;
    const said = call.agent.response;
    messages.push({ role: 'user', content: said === '' ? '(The agent is silent.)' : said });
    const { text, hangsUp } = await nextLine(model, messages);
    if (text !== '') {
      messages.push({ role: 'assistant', content: text });
      await caller.say(text);
    }
    if (hangsUp || text === '') return null;
  }
  return null;
}

async function nextLine(
  { name, languageModel }: CallerModel,
  messages: readonly ModelMessage[],
): Promise<{ text: string; hangsUp: boolean }> {
  let text = '';
  let hangsUp = false;
  const request = { model: name, messages, temperature: 0, tools: [HANG_UP] };
  for await (const chunk of languageModel.respond(request, new AbortController().signal)) {
    if (chunk.type === 'text') text += chunk.text;
    if (chunk.type === 'tool_call') hangsUp = true;
  }
  return { text: text.trim(), hangsUp };
}
