import { describe, expect, it } from '@jest/globals';
import type { LanguageModel } from '@calls/engine-ports/language-model';
import type { TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { collect } from '@calls/testkit/collect';
import { languageModelByName, lazyTextToSpeech, textToSpeechByEngine } from './by-engine.ts';

const saying = (text: string): LanguageModel => ({
  acceptsAudio: () => text === 'from b',
  async *respond() {
    yield await Promise.resolve({ type: 'text', text });
  },
});

const speaking = (text: string): TextToSpeech => ({
  async *synthesize() {
    yield await Promise.resolve({ type: 'sentence', text });
  },
});

const signal = new AbortController().signal;
const reason = new Error('over');

describe('languageModelByName', () => {
  const model = languageModelByName(
    new Map([
      ['a', saying('from a')],
      ['b', saying('from b')],
    ]),
  );
  const ask = (name: string, during = signal) =>
    collect(model.respond({ model: name, messages: [], temperature: 0 }, during));

  it('uses the model with the requested name', async () => {
    expect(await ask('b')).toEqual([{ type: 'text', text: 'from b' }]);
  });

  it('returns whether the named model accepts audio', () => {
    expect(['a', 'b', 'c'].map((name) => model.acceptsAudio(name))).toEqual([false, true, false]);
  });

  it('throws "unavailable" for an unknown name, but the reason of an abort first', async () => {
    await expect(ask('c')).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('"c"'),
    });
    await expect(ask('c', AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('textToSpeechByEngine', () => {
  const speech = textToSpeechByEngine(new Map([['one', speaking('spoken by one')]]));
  const none: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
  };
  const speak = (engine: string) =>
    collect(speech.synthesize(none, { voice: { engine, settings: {} }, languageHint: null }, signal));

  it('uses the engine of the voice', async () => {
    expect(await speak('one')).toEqual([{ type: 'sentence', text: 'spoken by one' }]);
  });

  it('throws "unavailable" for an unknown engine', async () => {
    await expect(speak('two')).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('"two"'),
    });
  });
});

describe('lazyTextToSpeech', () => {
  const none: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
  };
  const options = { voice: { engine: 'one', settings: {} }, languageHint: null };

  it('loads the engine once, for the first synthesis, and disposes it', async () => {
    const events: string[] = [];
    const disposes = () => Promise.resolve(void events.push('disposed'));
    const engine = lazyTextToSpeech(() => {
      events.push('loaded');
      return Promise.resolve({ ...speaking('spoken'), [Symbol.asyncDispose]: disposes });
    });
    expect(events).toEqual([]);
    for (let i = 0; i < 2; i++) {
      expect(await collect(engine.synthesize(none, options, signal))).toEqual([
        { type: 'sentence', text: 'spoken' },
      ]);
    }
    await engine[Symbol.asyncDispose]();
    expect(events).toEqual(['loaded', 'disposed']);
  });

  it('does not load an unused engine only to dispose it', async () => {
    const engine = lazyTextToSpeech(() => Promise.reject(new Error('must not be loaded')));
    await engine[Symbol.asyncDispose]();
  });
});
