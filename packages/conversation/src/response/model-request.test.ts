import { describe, expect, it } from '@jest/globals';
import type { HistoryEntry } from '../transcript/history.ts';
import type { Cue } from '../turn/turn-types.ts';
import { buildModelRequest, GREETING_PROMPT, SILENT_USER } from './model-request.ts';

const stage = { systemPrompt: 'You are Ada.', model: 'm', temperature: 0, tools: [] };
const greeting = (prompt: string | null): Cue => ({ kind: 'greeting', text: null, prompt });
const messagesFor = (cue: Cue, history: HistoryEntry[] = [], greetingPromptEnabled = true) =>
  buildModelRequest({ stage, history, greetingPromptEnabled }, cue, null).messages;

const system = { role: 'system', content: 'You are Ada.' };
const user = (content: string) => ({ role: 'user', content });
const PROMPT = 'Ask for the order number.';

describe('buildModelRequest', () => {
  it('appends the prompt of an opening as the last system message', () => {
    const instruction = { role: 'system', content: PROMPT };
    expect(messagesFor(greeting(PROMPT))).toEqual([system, user(SILENT_USER), instruction]);
    expect(messagesFor(greeting(PROMPT), [{ role: 'user', text: 'Hi' }])).toEqual([
      system,
      user('Hi'),
      instruction,
    ]);
    expect(messagesFor(greeting(PROMPT), [], false)).toEqual([system, instruction]);
  });

  it('moves the user message of a continued turn to the end, except for its text before a tool call', () => {
    const book = { id: '1', name: 'book', arguments: '{}' };
    const booked: HistoryEntry[] = [
      { role: 'tool_call', call: book },
      { role: 'tool_result', callId: '1', text: 'ok' },
    ];
    const said: HistoryEntry = { role: 'user', text: 'Book it for five. Thanks.' };
    const continues: Cue = { kind: 'reply', continues: true };
    const calls = [
      { role: 'assistant', content: '', toolCalls: [book] },
      { role: 'tool', toolCallId: '1', content: 'ok' },
    ];
    const called = { ...said, beforeTools: 'Book it for five.' };
    expect(messagesFor(continues, [called, ...booked])).toEqual([
      system,
      user('Book it for five.'),
      ...calls,
      user('Thanks.'),
    ]);
    expect(messagesFor(continues, [said, { role: 'agent', text: 'Sure' }]).at(-1)).toEqual(user(said.text));
  });

  it('adds the greeting prompt when no message requires a response, unless it is disabled', () => {
    expect(messagesFor(greeting(null))).toEqual([system, user(GREETING_PROMPT)]);
    expect(messagesFor(greeting(null), [], false)).toEqual([system]);
    expect(messagesFor({ kind: 'reply' }, [{ role: 'user', text: 'Hi' }])).toEqual([system, user('Hi')]);
  });

  it('has a message even without a system prompt, a history and the greeting prompt', () => {
    const empty = { stage: { ...stage, systemPrompt: '' }, history: [], greetingPromptEnabled: false };
    expect(buildModelRequest(empty, greeting(null), null).messages).toEqual([user(SILENT_USER)]);
    const instruction = { role: 'system', content: PROMPT };
    expect(buildModelRequest(empty, greeting(PROMPT), null).messages).toEqual([instruction]);
  });
});
