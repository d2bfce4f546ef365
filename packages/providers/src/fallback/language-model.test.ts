import { describe, expect, it } from '@jest/globals';
import type { LanguageModel, ModelChunk } from '@calls/engine-ports/language-model';
import { ProviderError, type ProviderErrorKind } from '@calls/engine-ports/provider-error';
import { collect } from '@calls/testkit/collect';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import type { EngineFailure } from './engine-order.ts';
import { languageModelWithFallback } from './language-model.ts';

/** An error is thrown before the first token; `late` fails after it. */
type Mood = 'well' | 'late' | ProviderError | Error;

class MoodyModel implements LanguageModel {
  mood: Mood = 'well';
  asked = 0;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  acceptsAudio(): boolean {
    return this.name === 'a';
  }

  async *respond(): AsyncGenerator<ModelChunk> {
    this.asked += 1;
    const { mood } = this;
    await Promise.resolve();
    if (mood instanceof Error) throw mood;
    yield { type: 'text', text: this.name };
    if (mood === 'late') throw failure('cut');
  }
}

const failure = (kind: ProviderErrorKind, retryable?: boolean): ProviderError =>
  new ProviderError('test', kind, 'an error', retryable === undefined ? {} : { retryable });

function setUp() {
  const clock = new VirtualClock();
  const failures: EngineFailure[] = [];
  const [a, b, c] = ['a', 'b', 'c'].map((name) => new MoodyModel(name)) as [
    MoodyModel,
    MoodyModel,
    MoodyModel,
  ];
  const engines = [a, b, c].map((engine) => ({ name: engine.name, engine }));
  const model = languageModelWithFallback({ engines, clock, onFailure: (failure) => failures.push(failure) });
  const ask = async (signal = new AbortController().signal): Promise<string> => {
    const chunks = await collect(model.respond({ model: 'm', messages: [], temperature: 0 }, signal));
    return chunks.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('');
  };
  return { clock, failures, a, b, c, model, ask };
}

describe('languageModelWithFallback', () => {
  it('requests only the first model while it succeeds', async () => {
    const { a, b, failures, ask } = setUp();
    expect(await ask()).toBe('a');
    expect([a.asked, b.asked, failures.length]).toEqual([1, 0, 0]);
  });

  it.each([
    failure('timeout'),
    failure('unreachable'),
    failure('cut'),
    failure('malformed'),
    failure('refused', true),
  ])('uses the next model when one fails, and pauses the failed model: $message $kind', async (error) => {
    const { a, failures, ask } = setUp();
    a.mood = error;
    expect(await ask()).toBe('b');
    expect(failures).toEqual([{ engine: 'a', error, next: 'b' }]);
    expect(await ask()).toBe('b');
    expect(a.asked).toBe(1);
  });

  it.each([
    [0, 1000],
    [5000, 5000],
    [90_000, 90_000],
    [86_400_000, 300_000],
  ])('pauses a model that asks to wait for %p ms for %p ms', async (retryAfterMs, pauseMs) => {
    const { clock, a, ask } = setUp();
    a.mood = new ProviderError('test', 'refused', 'status 429', { retryable: true, retryAfterMs });
    expect(await ask()).toBe('b');
    a.mood = 'well';
    await clock.advance(pauseMs - 1);
    expect(await ask()).toBe('b');
    await clock.advance(1);
    expect(await ask()).toBe('a');
  });

  it('does not pause a model that refuses a request with an error that is not retryable', async () => {
    const { a, ask } = setUp();
    a.mood = failure('refused', false);
    expect([await ask(), await ask()]).toEqual(['b', 'b']);
    expect(a.asked).toBe(2);
  });

  it('tries a paused model with one request at a time, and uses it first again after a success', async () => {
    const { clock, a, ask } = setUp();
    a.mood = failure('timeout');
    await ask();
    await clock.advance(30_000);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['b', 'b', 'b']);
    expect(a.asked).toBe(2);
    a.mood = 'well';
    expect(await ask()).toBe('b');
    await clock.advance(30_000);
    expect(await ask()).toBe('a');
    expect(await ask()).toBe('a');
  });

  it('tries paused models when no other model is left', async () => {
    const { a, b, c, ask } = setUp();
    for (const model of [a, b, c]) model.mood = failure('timeout');
    await expect(ask()).rejects.toBe(c.mood);
    a.mood = 'well';
    expect(await ask()).toBe('a');
  });

  it('passes on an error in the middle of a response, and uses the next model for the next request', async () => {
    const { a, b, failures, ask } = setUp();
    a.mood = 'late';
    await expect(ask()).rejects.toMatchObject({ kind: 'cut' });
    expect(b.asked).toBe(0);
    expect(failures).toMatchObject([{ engine: 'a', next: null }]);
    expect(await ask()).toBe('b');
  });

  it('does not count an abort or a programming error as a failure of the engine', async () => {
    const { a, b, failures, ask } = setUp();
    const reason = failure('timeout');
    a.mood = reason;
    await expect(ask(AbortSignal.abort(reason))).rejects.toBe(reason);
    const mistake = new TypeError('x is not a function');
    a.mood = mistake;
    await expect(ask()).rejects.toBe(mistake);
    expect([b.asked, failures.length]).toEqual([0, 0]);
  });

  it('reports the audio support of the model that receives the next request', async () => {
    const { a, model, ask } = setUp();
    expect(model.acceptsAudio('m')).toBe(true);
    a.mood = failure('timeout');
    await ask();
    expect(model.acceptsAudio('m')).toBe(false);
  });
});
