import { ProviderError } from '@calls/engine-ports/provider-error';
import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import type { SpeechChunk, SynthesisOptions, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { delay, type Clock } from '@calls/foundation/clock';
import type { RealTimeWork } from './real-time-work.ts';

export function trackedDetector(engine: VoiceActivityEngine, work: RealTimeWork): VoiceActivityEngine {
  return {
    createDetector: () => {
      const detector = engine.createDetector();
      return {
        push: (window) => work.track(detector.push(window)),
        reset: () => detector.reset(),
        close: () => detector.close(),
      };
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** Real speech-to-text that delays each transcript by `delayMs` of virtual time and rejects superseded requests. */
export function trackedSpeechToText(
  engine: SpeechToText,
  work: RealTimeWork,
  clock: Clock,
  delayMs: number,
): SpeechToText {
  return {
    open: (options, signal) => {
      const stream = engine.open(options, signal);
      let asked = 0;
      return {
        push: (samples) => stream.push(samples),
        finalize: async () => {
          asked += 1;
          const request = asked;
          await delay(clock, delayMs, signal);
          if (request === asked) return work.track(stream.finalize());
          throw new ProviderError('recorded', 'superseded', 'more was said');
        },
        interims: stream.interims,
        close: () => stream.close(),
      };
    },
  };
}

/** Real text-to-speech in one voice. Each sentence is delayed by `delayMs` of virtual time. */
export function trackedTextToSpeech(
  engine: TextToSpeech,
  voice: SynthesisOptions['voice'],
  work: RealTimeWork,
  clock: Clock,
  delayMs: number,
): TextToSpeech {
  return {
    async *synthesize(sentences, options, signal): AsyncGenerator<SpeechChunk> {
      for await (const text of sentences) {
        const spoken = work.track(collected(engine.synthesize(one(text), { ...options, voice }, signal)));
        await delay(clock, delayMs, signal);
        yield* await spoken;
      }
    },
  };
}

export async function* one(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
