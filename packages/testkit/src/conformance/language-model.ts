import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { LanguageModel, ModelChunk, ModelRequest } from '@calls/conversation';
import { collect } from '../collect.ts';
import { DEFAULT_TIMEOUT_MS, expectFault, type ConformanceOptions } from './fault-case.ts';

export interface LanguageModelConformance extends ConformanceOptions<LanguageModel> {
  model: string;
}

/** What every LanguageModel does. */
export function describeLanguageModel(name: string, options: LanguageModelConformance): void {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const request: ModelRequest = {
    model: options.model,
    temperature: 0,
    messages: [
      { role: 'system', content: 'You are the receptionist of a small hotel by the sea.' },
      { role: 'assistant', content: 'Good evening, how can I help you?' },
      { role: 'user', content: 'Could you tell me when breakfast is served, please?' },
    ],
  };
  const test = (title: string, run: () => Promise<void>): void => it(title, run, timeoutMs);

  describe(`${name} as LanguageModel`, () => {
    test('streams an answer in several pieces, its usage at the end if at all', async () => {
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

    test('answers when there is no user message yet', async () => {
      const opening = { ...request, messages: request.messages.slice(0, 1) };
      const chunks = await collect((await options.create()).respond(opening, new AbortController().signal));
      expect(textOf(chunks).trim()).not.toBe('');
    });

    test('gives answers to concurrent requests apart from each other, each whole', async () => {
      const model = await options.create();
      const answer = async (): Promise<string> =>
        textOf(await collect(model.respond(request, new AbortController().signal)));
      const answers = await Promise.all(Array.from({ length: 8 }, answer));
      expect(answers.every((text) => text.trim() !== '')).toBe(true);
    });

    test('loses nothing to a reader that takes its time', async () => {
      const model = await options.create();
      const chunks: ModelChunk[] = [];
      for await (const chunk of model.respond(request, new AbortController().signal)) {
        chunks.push(chunk);
        if (chunks.length === 1) await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(textOf(chunks)).toMatch(/\S[.!?]\s*$/);
    });

    test('throws the reason at once on a signal that has already aborted', async () => {
      const reason = new Error('too late');
      const answer = collect((await options.create()).respond(request, AbortSignal.abort(reason)));
      await expect(answer).rejects.toBe(reason);
    });

    test('gives nothing more after an abort in the middle, but its reason', async () => {
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

    test('throws the reason to a reader that is waiting', async () => {
      const controller = new AbortController();
      const reason = new Error('interrupted');
      const stream = (await options.create()).respond(request, controller.signal)[Symbol.asyncIterator]();
      const waiting = stream.next();
      controller.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      await options.allFreed?.();
    });

    test('lets go of everything when the reader stops early', async () => {
      const controller = new AbortController();
      for await (const chunk of (await options.create()).respond(request, controller.signal)) {
        expect(chunk.type).toBe('text');
        break;
      }
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
      await options.allFreed?.();
    });

    for (const { name: what, fault, create } of options.faults ?? []) {
      test(`${what}: ${fault}, and the signal is let go`, async () => {
        const controller = new AbortController();
        await expectFault(collect((await create()).respond(request, controller.signal)), fault);
        expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
        await options.allFreed?.();
      });
    }
  });
}

function textOf(chunks: readonly ModelChunk[]): string {
  return chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('');
}
