import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { delay, type Clock } from '@calls/foundation/clock';
import type { RealTimeWork } from '@calls/simulation/call/real-time-work';
import { speak } from '@calls/testkit/speech/speak';
import { RATE_HZ } from './scenes.ts';

/** Real text-to-speech that delays each sentence by `delayMs` of virtual time. */
export function spokenVoice(work: RealTimeWork, clock: Clock, delayMs: number): TextToSpeech {
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
