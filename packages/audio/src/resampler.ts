import loadSpeex from '@echogarden/speex-resampler-wasm/simd';
import { concatSamples } from './pcm.ts';

export const MIN_SAMPLE_RATE_HZ = 8000;
export const MAX_SAMPLE_RATE_HZ = 48_000;

/**
 * Streaming resampler of mono PCM. Output sample k corresponds to the time of input sample k × input rate /
 * output rate: nothing is shifted; the filter's look-ahead (`delayMs`) only delays the last samples.
 */
export interface Resampler {
  readonly inputRateHz: number;
  /** Delay caused by the filter's look-ahead. */
  readonly delayMs: number;
  /**
   * Returns the samples available so far in an array owned by the caller; `input` itself if the rates are
   * equal.
   */
  process(input: Int16Array): Int16Array;
  /** Returns the rest as if silence followed, so that the total is ceil(input × ratio) samples. Then resets. */
  flush(): Int16Array;
  /** Drops the state. */
  reset(): void;
  /** Releases the state; `process` throws afterwards. Idempotent. */
  close(): void;
}

/** Speex quality, 0 to 10: flat to 80 % of the band, aliases below -80 dB, 2 ms of look-ahead at 16 kHz. */
const QUALITY = 4;
const SLICE_SAMPLES = 4096;
const MAX_RATIO = MAX_SAMPLE_RATE_HZ / MIN_SAMPLE_RATE_HZ;
const SLICE_OUTPUT_SAMPLES = SLICE_SAMPLES * MAX_RATIO + 1;
const BYTES_PER_SAMPLE = Int16Array.BYTES_PER_ELEMENT;

// All resamplers share one WebAssembly memory and, as calls are synchronous, one scratch area.
const speex = await loadSpeex();
const inputPointer = speex._malloc(SLICE_SAMPLES * BYTES_PER_SAMPLE);
const outputPointer = speex._malloc(SLICE_OUTPUT_SAMPLES * BYTES_PER_SAMPLE);
const inputLengthPointer = speex._malloc(2 * Int32Array.BYTES_PER_ELEMENT);
const outputLengthPointer = inputLengthPointer + Int32Array.BYTES_PER_ELEMENT;

/** Creates a resampler between two integer rates from 8000 to 48000 Hz. Throws a RangeError for others. */
export function createResampler(inputRateHz: number, outputRateHz: number): Resampler {
  for (const rateHz of [inputRateHz, outputRateHz]) {
    if (!Number.isInteger(rateHz) || rateHz < MIN_SAMPLE_RATE_HZ || rateHz > MAX_SAMPLE_RATE_HZ) {
      throw new RangeError(
        `a sample rate must be a whole number from ${MIN_SAMPLE_RATE_HZ} to ${MAX_SAMPLE_RATE_HZ} Hz, not ${rateHz}`,
      );
    }
  }
  return inputRateHz === outputRateHz
    ? new SameRate(inputRateHz)
    : new SpeexResampler(inputRateHz, outputRateHz);
}

const NO_SAMPLES = new Int16Array(0);

class SameRate implements Resampler {
  readonly inputRateHz: number;
  readonly delayMs = 0;
  #closed = false;

  constructor(rateHz: number) {
    this.inputRateHz = rateHz;
  }

  process(input: Int16Array): Int16Array {
    if (this.#closed) throw new Error('the resampler is closed');
    return input;
  }

  flush(): Int16Array {
    return NO_SAMPLES;
  }

  reset(): void {
    // Has no state.
  }

  close(): void {
    this.#closed = true;
  }
}

class SpeexResampler implements Resampler {
  readonly inputRateHz: number;
  readonly delayMs: number;
  readonly #outputRateHz: number;
  #state: number;
  #inputSamples = 0;
  #outputSamples = 0;

  constructor(inputRateHz: number, outputRateHz: number) {
    this.inputRateHz = inputRateHz;
    this.#outputRateHz = outputRateHz;
    this.#state = speex._speex_resampler_init(1, inputRateHz, outputRateHz, QUALITY, inputLengthPointer);
    if (this.#state === 0) throw new Error('no memory for another resampler');
    this.delayMs = (speex._speex_resampler_get_output_latency(this.#state) * 1000) / outputRateHz;
    speex._speex_resampler_skip_zeros(this.#state);
  }

  process(input: Int16Array): Int16Array {
    if (this.#state === 0) throw new Error('the resampler is closed');
    this.#inputSamples += input.length;
    const output =
      input.length <= SLICE_SAMPLES ? this.#run(input, input.length).slice() : this.#runSlices(input);
    this.#outputSamples += output.length;
    return output;
  }

  flush(): Int16Array {
    if (this.#state === 0) return NO_SAMPLES;
    const wanted =
      Math.ceil((this.#inputSamples * this.#outputRateHz) / this.inputRateHz) - this.#outputSamples;
    const delaySamples = Math.ceil((this.delayMs * this.inputRateHz) / 1000);
    const output =
      wanted > 0
        ? this.#run(new Int16Array(delaySamples + 2), delaySamples + 2).slice(0, wanted)
        : NO_SAMPLES;
    this.reset();
    return output;
  }

  reset(): void {
    this.#inputSamples = 0;
    this.#outputSamples = 0;
    if (this.#state === 0) return;
    speex._speex_resampler_reset_mem(this.#state);
    speex._speex_resampler_skip_zeros(this.#state);
  }

  close(): void {
    if (this.#state === 0) return;
    speex._speex_resampler_destroy(this.#state);
    this.#state = 0;
  }

  #runSlices(input: Int16Array): Int16Array {
    const parts: Int16Array[] = [];
    for (let start = 0; start < input.length; start += SLICE_SAMPLES) {
      const slice = input.subarray(start, start + SLICE_SAMPLES);
      parts.push(this.#run(slice, slice.length).slice());
    }
    return concatSamples(parts);
  }

  /** A view into the scratch area, valid until the next run of any resampler. */
  #run(input: Int16Array, inputSamples: number): Int16Array {
    speex.HEAP16.set(input, inputPointer / BYTES_PER_SAMPLE);
    speex.HEAP32[inputLengthPointer / 4] = inputSamples;
    speex.HEAP32[outputLengthPointer / 4] = SLICE_OUTPUT_SAMPLES;
    speex._speex_resampler_process_int(
      this.#state,
      0,
      inputPointer,
      inputLengthPointer,
      outputPointer,
      outputLengthPointer,
    );
    const outputSamples = speex.HEAP32[outputLengthPointer / 4] ?? 0;
    const start = outputPointer / BYTES_PER_SAMPLE;
    return speex.HEAP16.subarray(start, start + outputSamples);
  }
}
