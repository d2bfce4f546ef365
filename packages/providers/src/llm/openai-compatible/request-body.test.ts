import { describe, expect, it } from '@jest/globals';
import { parseWav } from '@calls/audio/wav';
import type { ModelMessage, ModelTool } from '@calls/engine-ports/language-model';
import { chatCompletionBody } from './request-body.ts';

const WEATHER: ModelTool = {
  name: 'weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

interface ChatBody {
  messages: { content: unknown }[];
  tools?: unknown;
}

function body(
  messages: ModelMessage[],
  tools?: ModelTool[],
  acceptsAudio = true,
  extraBody = {},
  model = 'm',
): ChatBody {
  const request = { model: 'svc-v0.7', temperature: 0.5, messages, ...(tools && { tools }) };
  const bytes = chatCompletionBody({ provider: 'test', model, acceptsAudio, extraBody }, request);
  return JSON.parse(bytes.toString()) as ChatBody;
}

describe('chatCompletionBody', () => {
  it('sends tools as functions, and omits an empty list of tools', () => {
    expect(body([], [WEATHER]).tools).toEqual([{ type: 'function', function: WEATHER }]);
    expect(body([], [])).not.toHaveProperty('tools');
    expect(body([])).toEqual({
      model: 'm',
      messages: [],
      temperature: 0.5,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('adds and removes fields, but none that the adapter needs', () => {
    const extraBody = {
      temperature: null,
      stream_options: null,
      reasoning_effort: 'low',
      model: 'other',
      stream: false,
      messages: [],
      tools: [],
    };
    expect(body([{ role: 'user', content: 'Hi' }], [], true, extraBody)).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      reasoning_effort: 'low',
      stream: true,
    });
  });

  it('converts tool calls and tool results to the format of the chat API', () => {
    const calls = [{ id: 'a', name: 'weather', arguments: '{"city": "Oslo"}' }];
    const { messages } = body([
      { role: 'user', content: 'Weather in Oslo?' },
      { role: 'assistant', content: '', toolCalls: calls },
      { role: 'tool', toolCallId: 'a', content: 'Rain.' },
      { role: 'assistant', content: 'It rains.', toolCalls: [] },
    ]);
    expect(messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: expect.any(String),
            type: 'function',
            function: { name: 'weather', arguments: '{"city": "Oslo"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: expect.any(String), content: 'Rain.' },
      { role: 'assistant', content: 'It rains.' },
    ]);
  });

  it('replaces the ids of tool calls by ids of nine letters and digits, which Mistral requires', () => {
    const ids = ['0f8fad5b-d9cb-469f-a165-70867728950e', 'call_1'];
    const { messages } = body([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: '', toolCalls: ids.map((id) => ({ id, name: 'w', arguments: '{}' })) },
      ...ids.map((toolCallId): ModelMessage => ({ role: 'tool', toolCallId, content: '' })),
    ]);
    const [, calling, ...results] = messages as unknown as [
      unknown,
      { tool_calls: { id: string }[] },
      ...{ tool_call_id: string }[],
    ];
    const sent = calling.tool_calls.map(({ id }) => id);
    expect(sent).toEqual([expect.stringMatching(/^[a-z0-9]{9}$/), expect.stringMatching(/^[a-z0-9]{9}$/)]);
    expect(sent[0]).not.toBe(sent[1]);
    expect(results.map((result) => result.tool_call_id)).toEqual(sent);
  });

  it('tells Gemini not to check its signature, at the first call of each message', () => {
    const toolCalls = ['a', 'b'].map((id) => ({ id, name: 'w', arguments: '{}' }));
    const calling: ModelMessage[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: '', toolCalls },
    ];
    const skipped = { google: { thought_signature: 'skip_thought_signature_validator' } };
    const { messages } = body(calling, [], true, {}, 'google/gemini-3-flash');
    expect(messages).toMatchObject([{}, { tool_calls: [{ extra_content: skipped }, {}] }]);
    expect(JSON.stringify(messages).match(/signature_validator/gu)).toHaveLength(1);
    expect(JSON.stringify(body(calling))).not.toContain('extra_content');
  });

  it.each(['{"city": "Os', '[]', ''])('wraps the invalid tool arguments %j in a JSON object', (written) => {
    const { messages } = body([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Let me see.', toolCalls: [{ id: 'a', name: 'w', arguments: written }] },
    ]);
    expect(messages[1]).toMatchObject({
      content: 'Let me see.',
      tool_calls: [{ function: { arguments: JSON.stringify({ unreadable: written }) } }],
    });
  });

  it('sends audio as a WAV file to a model with audio input, and only the text to other models', () => {
    const samples = Int16Array.of(1, -2, 3);
    const messages: ModelMessage[] = [
      {
        role: 'user',
        content: [
          { type: 'audio', samples },
          { type: 'text', text: 'hello' },
        ],
      },
    ];
    const [userMessage] = body(messages).messages;
    expect(userMessage?.content).toEqual([
      { type: 'input_audio', input_audio: { data: expect.any(String), format: 'wav' } },
      { type: 'text', text: 'hello' },
    ]);
    const [{ input_audio: sound }] = userMessage!.content as [{ input_audio: { data: string } }];
    expect(parseWav(Buffer.from(sound.data, 'base64'))).toEqual({ sampleRateHz: 16_000, samples });
    expect(body(messages, [], false).messages[0]?.content).toEqual([{ type: 'text', text: 'hello' }]);
    const mute: ModelMessage[] = [{ role: 'user', content: [{ type: 'audio', samples }] }];
    expect(() => body(mute, [], false)).toThrow('does not support audio input');
  });
});
