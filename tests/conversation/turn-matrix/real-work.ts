import { ProviderError } from '@calls/engine-ports/provider-error';
import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { delay, type Clock } from '@calls/foundation/clock';
import { speak } from '@calls/testkit/speech/speak';
import { RATE_HZ } from './scenes.ts';

/** Work of real engines, for which virtual time stands still: how busy the machine is changes no turn. */
export class RealWork {
  readonly #pending = new Set<Promise<unknown>>();

  track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const done = (): void => void this.#pending.delete(work);
    work.then(done, done);
    return work;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }
}

export function trackedDetector(engine: VoiceActivityEngine, work: RealWork): VoiceActivityEngine {
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
  work: RealWork,
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
        partials: stream.partials,
        close: () => stream.close(),
      };
    },
  };
}

/** Real text-to-speech that delays each sentence by `delayMs` of virtual time. */
export function spokenVoice(work: RealWork, clock: Clock, delayMs: number): TextToSpeech {
  return {
    async *synthesize(sentences, _options, signal): AsyncGenerator<SpeechChunk> {
      for await (const text of sentences) {
        const spoken = work.track(
          speak({ engine: 'flite', voice: 'awb', text: text.trim(), sampleRateHz: RATE_HZ }),
        );
        await delay(clock, delayMs, signal);
        yield { type: 'sentence', text };
        yield { type: 'audio', samples: await spoken, sampleRateHz: RATE_HZ };
      }
    },
  };
}
