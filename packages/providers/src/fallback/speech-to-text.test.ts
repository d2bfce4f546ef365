import { expect, it } from '@jest/globals';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { SpeechToText, Transcript } from '@calls/engine-ports/speech-to-text';
import { BoundedQueue } from '@calls/foundation/bounded-queue';
import { collect } from '@calls/testkit/collect';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { speechToTextWithFallback } from './speech-to-text.ts';

/** Transcribes audio to its number of samples: so far in interim transcripts, in total when finalized. */
class CountingEngine implements SpeechToText {
  readonly name: string;
  fails = false;
  opened = 0;
  closed = 0;

  constructor(name: string) {
    this.name = name;
  }

  open(): ReturnType<SpeechToText['open']> {
    this.opened += 1;
    const interims = new BoundedQueue<Transcript>(10, 'reject');
    let samples = 0;
    return {
      interims,
      push: (pushed) => {
        samples += pushed.length;
        interims.push({ text: `${this.name} ${samples}` });
      },
      finalize: () =>
        this.fails
          ? Promise.reject(new ProviderError(this.name, 'timeout', 'too late'))
          : Promise.resolve({ text: `${this.name} ${samples} in all` }),
      close: () => {
        this.closed += 1;
        interims.close();
      },
    };
  }
}

it('speechToTextWithFallback replays the utterance to the next engine and forwards the interim transcripts of both engines', async () => {
  const first = new CountingEngine('first');
  const second = new CountingEngine('second');
  const engines = [first, second].map((engine) => ({ name: engine.name, engine }));
  const engine = speechToTextWithFallback({ engines, clock: new VirtualClock(), onFailure: () => undefined });
  const stream = engine.open({ languageHint: null }, new AbortController().signal);
  const interims = collect(stream.interims);
  first.fails = true;
  stream.push(new Int16Array(100));
  await Promise.resolve();
  const both = await Promise.all([stream.finalize(), stream.finalize()]);
  expect(both).toEqual([{ text: 'second 100 in all' }, { text: 'second 100 in all' }]);
  stream.push(new Int16Array(20));
  await Promise.resolve();
  expect(await stream.finalize()).toEqual({ text: 'second 120 in all' });
  stream.close();
  stream.push(new Int16Array(5));
  expect(await interims).toEqual([{ text: 'first 100' }, { text: 'second 100' }, { text: 'second 120' }]);
  expect([first.opened, first.closed, second.opened, second.closed]).toEqual([1, 1, 1, 1]);

  const next = engine.open({ languageHint: null }, new AbortController().signal);
  expect(first.opened).toBe(1);
  next.close();
});
