import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { LanguageModel, ModelChunk, ModelMessage, ModelTool } from '@calls/engine-ports/language-model';
import { systemClock } from '@calls/foundation/clock';
import { createConnectionPool } from '@calls/providers/http/connection-pool';
import { createOpenAiCompatibleLanguageModel } from '@calls/providers/llm/openai-compatible/adapter';
import { DEFAULT_LANGUAGE_MODEL_LIMITS } from '@calls/providers/llm/openai-compatible/limits';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';

/** Time limit for servers that stop sending. */
const SHORT_MS = 250;
/** Time limit for slow servers, even on a busy machine. */
const AMPLE_MS = 4000;
const OSLO = { name: 'weather', arguments: { city: 'Oslo', days: [1, 2, 3] } };
const ROME = { name: 'weather', arguments: { city: 'Rome' } };
const WEATHER: ModelTool = {
  name: 'weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};
const QUESTION: ModelMessage = { role: 'user', content: 'How is the weather?' };

const standIn = await startAiStandIn();
const pool = createConnectionPool();

beforeEach(() =>
  standIn.control({
    forgetRequests: true,
    llm: { behaviour: 'ok', tokenGapMs: 0, replies: [], toolCallStyle: 'pieces' },
  }),
);

afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await standIn[Symbol.asyncDispose]();
});

function languageModel(limits: { firstTokenTimeoutMs?: number; gapTimeoutMs?: number }): LanguageModel {
  return createOpenAiCompatibleLanguageModel({
    endpoint: { baseUrl: standIn.baseUrl, apiKey: null },
    model: 'chat-test',
    acceptsAudio: true,
    extraBody: {},
    limits: { ...DEFAULT_LANGUAGE_MODEL_LIMITS, ...limits },
    pool,
    clock: systemClock,
  });
}

/** Collects all output in `given`, including output before an error. */
async function ask(given: ModelChunk[], messages = [QUESTION], limits = {}): Promise<void> {
  const request = { model: 'svc-v0.7', temperature: 0, messages, tools: [WEATHER] };
  for await (const chunk of languageModel(limits).respond(request, new AbortController().signal)) {
    given.push(chunk);
  }
}

function callsOf(chunks: readonly ModelChunk[]): unknown[] {
  return chunks.flatMap((chunk) =>
    chunk.type === 'tool_call'
      ? [{ name: chunk.call.name, arguments: JSON.parse(chunk.call.arguments) as unknown }]
      : [],
  );
}

describe('openai-compatible language model with tools', () => {
  it.each(['pieces', 'whole', 'bare'] as const)(
    'accepts several tool calls in the %s stream format',
    async (style) => {
      const reply = { text: 'One moment.', toolCalls: [OSLO, ROME] };
      await standIn.control({ llm: { replies: [reply], toolCallStyle: style } });
      const given: ModelChunk[] = [];
      await ask(given);
      expect(given.map(({ type }) => type)).toEqual(['text', 'text', 'tool_call', 'tool_call', 'usage']);
      expect(callsOf(given)).toEqual([OSLO, ROME]);
      expect((await standIn.requests()).recent[0]?.asked['tools']).toEqual([WEATHER]);
    },
  );

  it('does not time out while a started tool call arrives slowly', async () => {
    const replies = [{ toolCalls: [OSLO] }];
    await standIn.control({
      llm: { replies, behaviour: 'slow', slowMs: AMPLE_MS / 8, tokenGapMs: AMPLE_MS / 6 },
    });
    const given: ModelChunk[] = [];
    const startedMs = performance.now();
    await ask(given, [QUESTION], { firstTokenTimeoutMs: AMPLE_MS, gapTimeoutMs: AMPLE_MS });
    expect(callsOf(given)).toEqual([OSLO]);
    expect(performance.now() - startedMs).toBeGreaterThan(AMPLE_MS);
  });

  it.each([
    ['cut', 'cut'],
    ['stall', 'timeout'],
  ] as const)('yields no partial tool call when the stream fails with %s', async (behaviour, kind) => {
    await standIn.control({ llm: { replies: [{ toolCalls: [OSLO] }], behaviour } });
    const given: ModelChunk[] = [];
    const gapTimeoutMs = kind === 'timeout' ? SHORT_MS : AMPLE_MS;
    await expect(ask(given, [QUESTION], { gapTimeoutMs })).rejects.toMatchObject({ kind });
    expect(given).toEqual([]);
  });

  it('continues after a greeting, an unanswered question and a second response, with a server of strict turns', async () => {
    await ask(
      [],
      [
        { role: 'assistant', content: 'Hello!' },
        { role: 'user', content: 'Well.' },
        { role: 'user', content: 'Who are you?' },
        { role: 'assistant', content: 'I am Ada.' },
        { role: 'assistant', content: 'Are you still there?' },
        { role: 'user', content: 'Yes.' },
      ],
    );
    expect((await standIn.requests()).recent[0]).toMatchObject({
      outcome: 'answered',
      asked: { messages: 5, lastUser: 'Yes.' },
    });
  });

  it('sends tool calls, results and audio in the documented format', async () => {
    const call = { id: 'a', name: 'weather', arguments: '{"city":"Oslo"}' };
    await ask(
      [],
      [
        { role: 'user', content: [{ type: 'audio', samples: new Int16Array(8000) }] },
        { role: 'assistant', content: '', toolCalls: [call] },
        { role: 'tool', toolCallId: 'a', content: 'Rain.' },
      ],
    );
    expect((await standIn.requests()).recent[0]).toMatchObject({
      outcome: 'answered',
      asked: {
        audio: [{ sampleRateHz: 16_000, audioMs: 500 }],
        toolCalls: [{ ...call, id: expect.any(String) }],
        toolResults: [{ id: expect.any(String), content: 'Rain.' }],
      },
    });
  });
});
