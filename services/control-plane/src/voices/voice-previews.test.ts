import { describe, expect, it } from '@jest/globals';
import { parseWav } from '@calls/audio/wav';
import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { VoicePreviews } from './voice-previews.ts';

const RATE_HZ = 8000;
const VOICE = { selection: { engine: 'scripted', settings: {} }, language: null };

/** Speaks for the given time once released; stops when aborted. */
class Scripted implements TextToSpeech {
  waiting: (() => void)[] = [];
  readonly #seconds: number;

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  async *synthesize(
    _sentences: unknown,
    _options: unknown,
    signal: AbortSignal,
  ): AsyncGenerator<SpeechChunk> {
    await new Promise<void>((resolve, reject) => {
      this.waiting.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    for (let second = 0; second < this.#seconds; second += 1) {
      yield { type: 'audio', samples: new Int16Array(RATE_HZ).fill(second + 1), sampleRateHz: RATE_HZ };
    }
  }

  speak(): void {
    for (const go of this.waiting.splice(0)) go();
  }
}

function scene(seconds: number) {
  const clock = new VirtualClock();
  const textToSpeech = new Scripted(seconds);
  return { clock, textToSpeech, previews: new VoicePreviews({ textToSpeech, clock }) };
}

describe('VoicePreviews', () => {
  it('returns all audio in order', async () => {
    const { clock, textToSpeech, previews } = scene(3);
    const preview = previews.speak('a', VOICE);
    await clock.advance(0);
    textToSpeech.speak();
    const { samples, sampleRateHz } = parseWav(await preview);
    expect([samples.length, sampleRateHz]).toEqual([3 * RATE_HZ, RATE_HZ]);
    expect([0, 1, 2].map((second) => samples[second * RATE_HZ])).toEqual([1, 2, 3]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fails after ten seconds without audio and releases the slots', async () => {
    const { clock, textToSpeech, previews } = scene(1);
    const refused = [1, 2, 3, 4].map(() =>
      expect(previews.speak('a', VOICE)).rejects.toMatchObject({
        status: 400,
        code: 'voice_error',
        message: 'the voice did not finish within 10 s',
      }),
    );
    await clock.advance(9999);
    expect(textToSpeech.waiting.length).toBe(4);
    await clock.advance(1);
    await Promise.all(refused);
    textToSpeech.waiting = [];
    const preview = previews.speak('a', VOICE);
    await clock.advance(0);
    textToSpeech.speak();
    await preview;
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects audio longer than the limit', async () => {
    const { clock, textToSpeech, previews } = scene(21);
    const refused = expect(previews.speak('a', VOICE)).rejects.toMatchObject({ code: 'voice_error' });
    await clock.advance(0);
    textToSpeech.speak();
    await refused;
  });

  it('runs eight previews at a time, four per account; others wait for a limited time', async () => {
    const { clock, textToSpeech, previews } = scene(1);
    const running = ['a', 'b'].flatMap((account) => [1, 2, 3, 4].map(() => previews.speak(account, VOICE)));
    const next = previews.speak('c', VOICE);
    await expect(previews.speak('a', VOICE)).rejects.toMatchObject({ status: 429, code: 'concurrency' });
    await clock.advance(5000);
    expect(textToSpeech.waiting.length).toBe(8);
    textToSpeech.speak();
    await Promise.all(running);
    await clock.advance(0);
    textToSpeech.speak();
    await next;

    const blocked = ['a', 'b', 'c', 'd'].flatMap((account) =>
      [1, 2, 3, 4].map(() => previews.speak(account, VOICE).catch((thrown: unknown) => thrown)),
    );
    const late = expect(previews.speak('e', VOICE)).rejects.toMatchObject({ status: 503 });
    await clock.advance(10_000);
    await late;
    await clock.advance(9999);
    textToSpeech.speak();
    await Promise.all(blocked);
    expect(clock.pendingTimers).toBe(0);
  });
});
