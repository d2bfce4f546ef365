import { describe, expect, it } from '@jest/globals';
import type { ModelChunk } from '@calls/engine-ports/language-model';
import { systemClock } from '@calls/foundation/clock';
import { describeLanguageModel } from '@calls/testkit/conformance/language-model';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { createSvcLocal } from './adapter.ts';
import { wordPieces } from './word-pieces.ts';

describeLanguageModel('svc-local', {
  model: 'svc-local',
  create: () => Promise.resolve(createSvcLocal({ clock: systemClock, tokenDelayMs: 1 })),
  createCalling: () => Promise.resolve(createSvcLocal({ clock: systemClock, tokenDelayMs: 1 })),
});

describe('svc-local', () => {
  it('streams pieces of text paced by the clock, then reports the usage in words', async () => {
    const clock = new VirtualClock();
    const model = createSvcLocal({ clock, tokenDelayMs: 10 });
    const chunks: ModelChunk[] = [];
    const reading = (async () => {
      const messages = [{ role: 'system', content: 'Say "Good day."' }] as const;
      const request = { model: 'svc-local', temperature: 0, messages };
      for await (const chunk of model.respond(request, new AbortController().signal)) chunks.push(chunk);
    })();
    await clock.advance(10);
    expect(chunks).toEqual([{ type: 'text', text: 'Good' }]);
    await clock.advance(10);
    await reading;
    expect(chunks.slice(1)).toEqual([
      { type: 'text', text: ' day.' },
      { type: 'usage', inputTokens: 3, outputTokens: 2 },
    ]);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('wordPieces', () => {
  it.each(['Hello! How can I help you?', ' receptionist  of\nHotel ', 'x', '', '😀 déjà vu'])(
    'returns pieces that join to %j',
    (text) => {
      expect(wordPieces(text).join('')).toBe(text);
    },
  );

  it('splits long words', () => {
    expect(wordPieces('the receptionist')).toEqual(['the', ' recept', 'ionist']);
  });
});
