import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { VoiceSelection } from '@calls/api-contract/call-spec';
import { levelDbfs } from '@calls/audio/pcm';
import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { collect } from '../collect.ts';
import { expectFailure, type ConformanceOptions } from './failure-case.ts';
import { SentenceSource } from './sentence-source.ts';

export interface TextToSpeechConformance extends ConformanceOptions<TextToSpeech> {
  voice: VoiceSelection;
}

const SENTENCES = ['Good morning.', 'Your table is by the window.', 'Shall I bring the menu?'];
/** Level below which audio is not speech. */
const AUDIBLE_DBFS = -50;
const SHORTEST_SENTENCE_MS = 200;

/** Contract of every TextToSpeech. */
export function describeTextToSpeech(name: string, options: TextToSpeechConformance): void {
  const { voice } = options;
  const speak = async (
    sentences: AsyncIterable<string>,
    signal = new AbortController().signal,
    from = options.create,
  ): Promise<AsyncIterator<SpeechChunk> & AsyncIterable<SpeechChunk>> => {
    const chunks = (await from()).synthesize(sentences, { voice, languageHint: null }, signal);
    const iterator = chunks[Symbol.asyncIterator]();
    return {
      next: () => iterator.next(),
      return: () => end(iterator),
      [Symbol.asyncIterator]: () => iterator,
    };
  };

  describe(`${name} as TextToSpeech`, () => {
    it('synthesizes the sentences in order, each announced before its audio, at one sample rate', async () => {
      const controller = new AbortController();
      const chunks = await collect(await speak(SentenceSource.of(SENTENCES), controller.signal));
      expect(chunks.filter((chunk) => chunk.type === 'sentence').map((chunk) => chunk.text)).toEqual(
        SENTENCES,
      );
      expect(chunks[0]?.type).toBe('sentence');
      const audio = audioBySentence(chunks);
      expect(new Set(audio.flatMap((sentence) => sentence.ratesHz)).size).toBe(1);
      for (const { samples, ratesHz } of audio) {
        expect((samples.length * 1000) / (ratesHz[0] ?? 1)).toBeGreaterThan(SHORTEST_SENTENCE_MS);
        expect(levelDbfs(samples)).toBeGreaterThan(AUDIBLE_DBFS);
      }
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    });

    it('yields no audio when there is no sentence', async () => {
      expect(await collect(await speak(SentenceSource.of([])))).toEqual([]);
      expect(await collect(await speak(SentenceSource.of(['', '  \n'])))).toEqual([]);
    });

    it('reads no sentence before audio is pulled', async () => {
      const source = SentenceSource.of(SENTENCES);
      const chunks = await speak(source);
      expect(source.taken).toBe(0);
      await chunks.return?.();
    });

    it('reads at most one sentence ahead of the one that is being pulled', async () => {
      const source = SentenceSource.of([...SENTENCES, ...SENTENCES]);
      let spoken = 0;
      for await (const chunk of await speak(source)) {
        if (chunk.type === 'sentence') spoken += 1;
        expect(source.taken).toBeLessThanOrEqual(spoken + 1);
      }
      expect(spoken).toBe(2 * SENTENCES.length);
    });

    it('synthesizes a sentence while the next one is still being written', async () => {
      const source = new SentenceSource();
      source.write('The first sentence is here.');
      const chunks = await speak(source);
      expect(await chunks.next()).toEqual({
        done: false,
        value: { type: 'sentence', text: 'The first sentence is here.' },
      });
      const audio = await nextAudio(chunks);
      expect(audio.samples.length).toBeGreaterThan(0);
      source.write('And here is the second.');
      source.end();
      const rest = await collect(chunks);
      expect(rest.filter((chunk) => chunk.type === 'sentence')).toHaveLength(1);
    });

    it('rethrows an error of the sentence source', async () => {
      const source = new SentenceSource();
      const error = new Error('the model broke off');
      source.write(SENTENCES[0] ?? '');
      source.fail(error);
      await expect(collect(await speak(source))).rejects.toBe(error);
      await options.allFreed?.();
    });

    it('throws the abort reason immediately when the signal has already aborted', async () => {
      const reason = new Error('too late');
      const source = SentenceSource.of(SENTENCES);
      await expect(collect(await speak(source, AbortSignal.abort(reason)))).rejects.toBe(reason);
    });

    it('stops after an abort in the middle of a sentence and throws its reason', async () => {
      const controller = new AbortController();
      const reason = new Error('interrupted');
      const chunks = await speak(SentenceSource.of(SENTENCES), controller.signal);
      await nextAudio(chunks);
      controller.abort(reason);
      await expect(chunks.next()).rejects.toBe(reason);
      expect((await chunks.next()).done).toBe(true);
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
      await options.allFreed?.();
    });

    it('throws the abort reason while it waits for a sentence', async () => {
      const controller = new AbortController();
      const reason = new Error('interrupted');
      const chunks = await speak(new SentenceSource(), controller.signal);
      const waiting = chunks.next();
      controller.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    });

    it('releases all resources when the reader stops early', async () => {
      const controller = new AbortController();
      const source = SentenceSource.of(SENTENCES);
      for await (const chunk of await speak(source, controller.signal)) if (chunk.type === 'audio') break;
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
      expect(source.returned).toBe(true);
      await options.allFreed?.();
    });

    it('synthesizes several streams concurrently, each with its own sentences', async () => {
      const speakers = Array.from({ length: 6 }, async (_, index) => {
        const sentences = [`This is speaker number ${index}.`, 'Goodbye.'];
        const chunks = await collect(await speak(SentenceSource.of(sentences)));
        expect(chunks.flatMap((chunk) => (chunk.type === 'sentence' ? [chunk.text] : []))).toEqual(sentences);
      });
      await Promise.all(speakers);
    });

    for (const { name: what, kind, create } of options.failures ?? []) {
      it(`fails with ${kind} and removes its abort listener: ${what}`, async () => {
        const controller = new AbortController();
        const chunks = await speak(SentenceSource.of(SENTENCES), controller.signal, create);
        await expectFailure(collect(chunks), kind);
        expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
        await options.allFreed?.();
      });
    }
  });
}

async function end(iterator: AsyncIterator<SpeechChunk>): Promise<IteratorResult<SpeechChunk>> {
  await iterator.return?.();
  return { done: true, value: undefined };
}

async function nextAudio(chunks: AsyncIterator<SpeechChunk>): Promise<SpeechChunk & { type: 'audio' }> {
  for (;;) {
    const { value, done } = (await chunks.next()) as IteratorResult<SpeechChunk, undefined>;
    if (done === true) throw new Error('the speech ended before any audio');
    if (value.type === 'audio') return value;
  }
}

function audioBySentence(chunks: readonly SpeechChunk[]): { samples: Int16Array; ratesHz: number[] }[] {
  const sentences: { samples: number[]; ratesHz: number[] }[] = [];
  for (const chunk of chunks) {
    if (chunk.type === 'sentence') sentences.push({ samples: [], ratesHz: [] });
    if (chunk.type !== 'audio') continue;
    const sentence = sentences.at(-1);
    for (const sample of chunk.samples) sentence?.samples.push(sample);
    sentence?.ratesHz.push(chunk.sampleRateHz);
  }
  return sentences.map(({ samples, ratesHz }) => ({ samples: Int16Array.from(samples), ratesHz }));
}
