import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { SpeechToText, TranscriptionStream } from '@calls/engine-ports/speech-to-text';
import { collect } from '../collect.ts';
import { expectFailure, type ConformanceOptions } from './failure-case.ts';

export interface SpeechToTextConformance extends ConformanceOptions<SpeechToText> {
  /** Speech at 16 kHz from which the provider recognizes `words`. */
  speech: () => Promise<Int16Array>;
  words: RegExp;
  languageHint?: string;
}

const FRAME_SAMPLES = 320;
const RATE_HZ = 16_000;

/** Contract of every SpeechToText. */
export function describeSpeechToText(name: string, options: SpeechToTextConformance): void {
  const { words } = options;
  const languageHint = options.languageHint ?? null;

  const open = async (signal = new AbortController().signal): Promise<TranscriptionStream> =>
    (await options.create()).open({ languageHint }, signal);

  describe(`${name} as SpeechToText`, () => {
    it('transcribes frames pushed from a reused array', async () => {
      const stream = await open();
      pushFrames(stream, await options.speech());
      expect((await stream.finalize()).text).toMatch(words);
      stream.close();
    });

    it('returns an empty transcript when no audio was pushed', async () => {
      const stream = await open();
      await expect(stream.finalize()).resolves.toEqual({ text: '' });
      stream.close();
    });

    it('returns an empty transcript for silence', async () => {
      const stream = await open();
      pushFrames(stream, new Int16Array(RATE_HZ));
      await expect(stream.finalize()).resolves.toEqual({ text: '' });
      stream.close();
    });

    it('returns the same transcript again when no audio was pushed in between', async () => {
      const stream = await open();
      pushFrames(stream, await options.speech());
      const [first, second] = await Promise.all([stream.finalize(), stream.finalize()]);
      expect(second).toEqual(first);
      expect(first.text).toMatch(words);
      stream.close();
    });

    it('returns the transcript of all audio since open from the last finalize', async () => {
      const stream = await open();
      pushFrames(stream, new Int16Array(RATE_HZ / 2));
      const early = settled(stream.finalize());
      pushFrames(stream, await options.speech());
      const last = await stream.finalize();
      expect(last.text).toMatch(words);
      const outcome = await early;
      if (outcome.status === 'rejected')
        await expectFailure(Promise.reject(outcome.reason as Error), 'superseded');
      stream.close();
    });

    it('does not mix utterances that are open at the same time', async () => {
      const silent = await open();
      const spoken = await open();
      pushFrames(silent, new Int16Array(RATE_HZ));
      pushFrames(spoken, await options.speech());
      const [none, some] = await Promise.all([silent.finalize(), spoken.finalize()]);
      expect(none.text).toBe('');
      expect(some.text).toMatch(words);
      silent.close();
      spoken.close();
    });

    it('rejects a pending finalize and ends the interim transcripts on close, which can be called twice', async () => {
      const controller = new AbortController();
      const stream = await open(controller.signal);
      pushFrames(stream, await options.speech());
      const underWay = settled(stream.finalize());
      const interims = collect(stream.interims);
      stream.close();
      stream.close();
      expect((await underWay).status).toBe('rejected');
      await interims;
      expect(() => stream.push(new Int16Array(FRAME_SAMPLES))).not.toThrow();
      await expect(stream.finalize()).rejects.toThrow();
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
      await options.allFreed?.();
    });

    it('is closed by an abort, and rejects finalize with its reason', async () => {
      const controller = new AbortController();
      const stream = await open(controller.signal);
      pushFrames(stream, await options.speech());
      const underWay = settled(stream.finalize());
      const reason = new Error('the call ended');
      controller.abort(reason);
      expect(await underWay).toEqual({ status: 'rejected', reason });
      await collect(stream.interims);
      await expect(stream.finalize()).rejects.toThrow();
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
      await options.allFreed?.();
    });

    it('opens without throwing on a signal that has already aborted', async () => {
      const reason = new Error('too late');
      const stream = await open(AbortSignal.abort(reason));
      pushFrames(stream, await options.speech());
      await expect(stream.finalize()).rejects.toBe(reason);
      await collect(stream.interims);
    });

    for (const { name: what, kind, create } of options.failures ?? []) {
      it(`fails with ${kind} and removes its abort listener: ${what}`, async () => {
        const controller = new AbortController();
        const stream = (await create()).open({ languageHint }, controller.signal);
        pushFrames(stream, await options.speech());
        await expectFailure(stream.finalize(), kind);
        stream.close();
        expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
        await options.allFreed?.();
      });
    }
  });
}

/** Reuses one array for all frames, as a transport does. */
function pushFrames(stream: TranscriptionStream, samples: Int16Array): void {
  const frame = new Int16Array(FRAME_SAMPLES);
  for (let at = 0; at < samples.length; at += FRAME_SAMPLES) {
    const piece = samples.subarray(at, at + FRAME_SAMPLES);
    frame.set(piece);
    stream.push(frame.subarray(0, piece.length));
  }
  frame.fill(0);
}

async function settled<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [outcome] = await Promise.allSettled([work]);
  return outcome;
}
