import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type {
  LanguageModel,
  ModelChunk,
  ModelRequest,
  ModelToolCall,
} from '@calls/engine-ports/language-model';
import { collect } from '../collect.ts';
import { expectFailure, type ConformanceOptions } from './failure-case.ts';

export interface LanguageModelConformance extends ConformanceOptions<LanguageModel> {
  model: string;
  /** A working implementation that responds to `TOOL_QUESTION` with a call of the tool, if offered. */
  createCalling: () => Promise<LanguageModel>;
}

const TOOL_QUESTION = "What's the weather in Paris?";
const TOOL = {
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const;

/** Contract of every LanguageModel. */
export function describeLanguageModel(name: string, options: LanguageModelConformance): void {
  const request: ModelRequest = {
    model: options.model,
    temperature: 0,
    messages: [
      { role: 'system', content: 'You are the receptionist of a small hotel by the sea.' },
      { role: 'assistant', content: 'Good evening, how can I help you?' },
      { role: 'user', content: 'Could you tell me when breakfast is served, please?' },
    ],
  };

  describe(`${name} as LanguageModel`, () => {
    it('streams a response in several chunks, with usage, if any, at the end', async () => {
      const controller = new AbortController();
      const chunks = await collect((await options.create()).respond(request, controller.signal));
      const texts = chunks.filter((chunk) => chunk.type === 'text');
      expect(texts.length).toBeGreaterThan(1);
      expect(texts.every((chunk) => chunk.text !== '')).toBe(true);
      expect(textOf(chunks).trim()).not.toBe('');
      const usageAt = chunks.findIndex((chunk) => chunk.type === 'usage');
      expect([-1, chunks.length - 1]).toContain(usageAt);
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    });

    it('responds when there is no user message yet', async () => {
      const opening = { ...request, messages: request.messages.slice(0, 1) };
      const chunks = await collect((await options.create()).respond(opening, new AbortController().signal));
      expect(textOf(chunks).trim()).not.toBe('');
    });

    it('responds to concurrent requests independently and completely', async () => {
      const model = await options.create();
      const respond = async (): Promise<string> =>
        textOf(await collect(model.respond(request, new AbortController().signal)));
      const responses = await Promise.all(Array.from({ length: 8 }, respond));
      expect(responses.every((text) => text.trim() !== '')).toBe(true);
    });

    it('loses no text when the reader is slow', async () => {
      const model = await options.create();
      const chunks: ModelChunk[] = [];
      for await (const chunk of model.respond(request, new AbortController().signal)) {
        chunks.push(chunk);
        if (chunks.length === 1) await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(textOf(chunks)).toMatch(/\S[.!?]\s*$/);
    });

    it('throws the abort reason immediately when the signal has already aborted', async () => {
      const reason = new Error('too late');
      const response = collect((await options.create()).respond(request, AbortSignal.abort(reason)));
      await expect(response).rejects.toBe(reason);
    });

    it('stops after an abort in the middle of a response and throws its reason', async () => {
      const controller = new AbortController();
      const reason = new Error('interrupted');
      const stream = (await options.create()).respond(request, controller.signal)[Symbol.asyncIterator]();
      expect((await stream.next()).done).toBe(false);
      controller.abort(reason);
      await expect(stream.next()).rejects.toBe(reason);
      expect((await stream.next()).done).toBe(true);
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
      await options.allFreed?.();
    });

    it('throws the abort reason to a waiting reader', async () => {
      const controller = new AbortController();
      const reason = new Error('interrupted');
      const stream = (await options.create()).respond(request, controller.signal)[Symbol.asyncIterator]();
      const waiting = stream.next();
      controller.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      await options.allFreed?.();
    });

    it('releases all resources when the reader stops early', async () => {
      const controller = new AbortController();
      for await (const chunk of (await options.create()).respond(request, controller.signal)) {
        expect(chunk.type).toBe('text');
        break;
      }
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
      await options.allFreed?.();
    });

    const question: ModelRequest = {
      ...request,
      messages: [...request.messages.slice(0, 1), { role: 'user', content: TOOL_QUESTION }],
    };
    const calling: ModelRequest = { ...question, tools: [TOOL] };
    const answerOf = async (asked: ModelRequest): Promise<ModelChunk[]> =>
      collect((await options.createCalling()).respond(asked, new AbortController().signal));

    it('calls an offered tool with complete arguments, before it reports usage', async () => {
      const chunks = await answerOf(calling);
      const [call, ...others] = callsOf(chunks);
      expect(others).toEqual([]);
      expect(call).toMatchObject({ id: expect.stringMatching(/./), name: TOOL.name });
      expect(JSON.parse(call?.arguments ?? '')).toEqual({ city: 'Paris' });
      const usageAt = chunks.findIndex((chunk) => chunk.type === 'usage');
      expect([-1, chunks.length - 1]).toContain(usageAt);
    });

    it('assigns a different ID to each tool call', async () => {
      const responses = await Promise.all(Array.from({ length: 4 }, () => answerOf(calling)));
      const ids = responses.flatMap(callsOf).map(({ id }) => id);
      expect(new Set(ids).size).toBe(4);
    });

    it('calls no tool when none is offered', async () => {
      for (const asked of [question, { ...question, tools: [] }]) {
        const chunks = await answerOf(asked);
        expect(callsOf(chunks)).toEqual([]);
        expect(textOf(chunks).trim()).not.toBe('');
      }
    });

    it('responds from a tool result, and accepts malformed and failed tool calls', async () => {
      const toolCalls = [
        { id: 'call-1', name: TOOL.name, arguments: '{"city":"Paris"}' },
        { id: 'call-2', name: TOOL.name, arguments: '{"city":' },
      ];
      const chunks = await answerOf({
        ...calling,
        messages: [
          ...question.messages,
          { role: 'assistant', content: '', toolCalls },
          { role: 'tool', toolCallId: 'call-1', content: 'Snow in Paris today.' },
          { role: 'tool', toolCallId: 'call-2', content: 'Error: Snow is not JSON.' },
        ],
      });
      expect(callsOf(chunks)).toEqual([]);
      expect(textOf(chunks)).toContain('Snow');
    });

    it('yields no tool call after an abort', async () => {
      const controller = new AbortController();
      const reason = new Error('interrupted');
      const chunks = collect((await options.createCalling()).respond(calling, controller.signal));
      controller.abort(reason);
      await expect(chunks).rejects.toBe(reason);
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
      await options.allFreed?.();
    });

    for (const { name: what, kind, create } of options.failures ?? []) {
      it(`fails with ${kind} and removes its abort listener: ${what}`, async () => {
        const controller = new AbortController();
        await expectFailure(collect((await create()).respond(request, controller.signal)), kind);
        expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
        await options.allFreed?.();
      });
    }
  });
}

function callsOf(chunks: readonly ModelChunk[]): ModelToolCall[] {
  return chunks.flatMap((chunk) => (chunk.type === 'tool_call' ? [chunk.call] : []));
}

function textOf(chunks: readonly ModelChunk[]): string {
  return chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('');
}
