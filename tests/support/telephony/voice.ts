import { samplesFromMs } from '@calls/audio/pcm';
import { resample } from '@calls/testkit/speech/shaping';

/** Sample rate of the telephone network. */
export const LINE_RATE_HZ = 8000;

/** The speech of a person into a phone: queued utterances, with silence between them. */
export class Voice {
  #said: { samples: Int16Array; done: () => void }[] = [];
  #position = 0;
  /** The first utterance resampled to the rate of a stream. */
  #resampled: { of: Int16Array; rateHz: number; samples: Int16Array } | null = null;

  /** Queues an utterance at the rate of the line. Resolves when it has been sent. */
  say(samples: Int16Array): Promise<void> {
    return new Promise((done) => this.#said.push({ samples, done }));
  }

  /** Returns the next part of the audio, padded with silence. */
  next(durationMs: number, rateHz: number): Int16Array {
    const part = new Int16Array(samplesFromMs(durationMs, rateHz));
    const [first] = this.#said;
    if (!first) return part;
    const { samples } = first;
    const whole = this.#at(samples, rateHz);
    const from = Math.round((this.#position * rateHz) / LINE_RATE_HZ);
    part.set(whole.subarray(from, from + part.length));
    this.#position += samplesFromMs(durationMs, LINE_RATE_HZ);
    if (this.#position >= samples.length) {
      this.#position = 0;
      this.#said.shift();
      first.done();
    }
    return part;
  }

  /** Drops all audio that has not been sent. */
  stop(): void {
    for (const { done } of this.#said.splice(0)) done();
  }

  #at(samples: Int16Array, rateHz: number): Int16Array {
    if (rateHz === LINE_RATE_HZ) return samples;
    if (this.#resampled?.of !== samples || this.#resampled.rateHz !== rateHz) {
      const at = resample(samples, LINE_RATE_HZ, rateHz);
      this.#resampled = { of: samples, rateHz, samples: at };
    }
    return this.#resampled.samples;
  }
}
