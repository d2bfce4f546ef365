import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseWav } from '@calls/audio/wav';
import { startAiStandIn, type AiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import OpenAI from 'openai';

/** The vendors' own clients, which must be able to use the processes that stand in for the vendors. */

const API_KEY = 'key-of-the-vendor';
const WORDS = 'one two three';

let ai: AiStandIn;

beforeAll(async () => {
  ai = await startAiStandIn({ apiKey: API_KEY });
});
afterAll(async () => {
  await ai[Symbol.asyncDispose]();
});

describe('the client of OpenAI', () => {
  const clientWith = (apiKey: string): OpenAI => new OpenAI({ apiKey, baseURL: ai.baseUrl, maxRetries: 0 });

  it('gets streamed completions with tool calls and usage', async () => {
    await ai.control({
      llm: {
        replies: [{ text: 'One moment.', toolCalls: [{ name: 'find', arguments: { word: 'two' } }] }, WORDS],
      },
    });
    // Runs the tool, sends its result and assembles both responses.
    const runner = clientWith(API_KEY).chat.completions.runTools({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'Find it.' }],
      stream: true,
      stream_options: { include_usage: true },
      tools: [
        {
          type: 'function',
          function: {
            name: 'find',
            description: 'Finds a word.',
            parameters: { type: 'object', properties: { word: { type: 'string' } } },
            parse: JSON.parse,
            function: ({ word }: { word: string }) => `found ${word}`,
          },
        },
      ],
    });
    await runner.done();
    expect(runner.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Find it.'],
      ['assistant', 'One moment.'],
      ['tool', 'found two'],
      ['assistant', WORDS],
    ]);
    for (const { model, created, usage } of runner.allChatCompletions()) {
      expect(model).toBe('gpt-4o-mini');
      expect(created).toBeGreaterThan(0);
      expect(usage?.completion_tokens).toBeGreaterThan(0);
    }
  });

  it('gets speech and its transcript', async () => {
    await ai.control({ stt: { replies: [WORDS] } });
    const client = clientWith(API_KEY);
    const asked = { model: 'tts-1', voice: 'alloy', input: WORDS, response_format: 'wav' } as const;
    const speech = await (await client.audio.speech.create(asked)).arrayBuffer();
    expect(parseWav(Buffer.from(speech)).samples.length).toBeGreaterThan(0);
    const file = await OpenAI.toFile(speech, 'speech.wav');
    const { text } = await client.audio.transcriptions.create({ model: 'whisper-1', file, language: 'en' });
    expect(text).toBe(WORDS);
  });

  it('gets the error for a wrong key', async () => {
    const asked = { model: 'tts-1', voice: 'alloy', input: WORDS } as const;
    await expect(clientWith('wrong').audio.speech.create(asked)).rejects.toThrow(OpenAI.AuthenticationError);
  });
});
