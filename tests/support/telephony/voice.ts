import { samplesFromMs } from '@calls/audio/pcm';
import { resample } from '@calls/testkit/speech/shaping';

/** Of the telephone network. */
export const LINE_RATE_HZ = 8000;

/** What a person says into a phone: one thing after the other, silence between. */
export class Voice {
  #said: { samples: Int16Array; done: () => void }[] = [];
  #position = 0;
  /** Of the first of `#said`, where a stream has it at another rate. */
  #resampled: { of: Int16Array; rateHz: number; samples: Int16Array } | null = null;

  /** At the line's rate; resolves when it is said. */
  say(samples: Int16Array): Promise<void> {
    return new Promise((done) => this.#said.push({ samples, done }));
  }

  /** The next part; silence where nothing is said, or the rest of what is. */
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

  /** Stops; remaining audio is not sent. */
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
