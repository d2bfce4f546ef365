import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { AudioFormat, AudioOutput } from '../ports/media-transport.ts';
import { FRAME_MS } from './agent-utterance.ts';
import type { Paced, Pacer } from './pacer.ts';

/** The background alone is written this far ahead at most: the agent's voice has to wait until it has been heard. */
const BACKGROUND_LEAD_MS = 2 * FRAME_MS;
/** Whole numbers of these are multiplied 50,000 times a second. */
const VOLUME_BITS = 15;
const VOLUME_UNIT = 2 ** VOLUME_BITS;

export interface BackgroundMixerOptions {
  output: AudioOutput;
  /** 0 to 1, by which the clip is multiplied. */
  volume: number;
  pacer: Pacer;
  clock: Clock;
  /** The output failed; nothing is written any more. */
  onBroken: (fault: Error) => void;
}

/**
 * A sound behind the agent's voice, all through the call: mixed into what is written, and written alone while nothing is.
 * An output in front of the call's own, to be used in its place. Knows when all that it wrote will have been heard, so that
 * the voice can tell, and goes on where the user heard it last when the output is cleared.
 */
export class BackgroundMixer implements AudioOutput, Paced {
  readonly outputFormat: AudioFormat;
  readonly outputLeadMs: number;
  readonly #options: BackgroundMixerOptions;
  readonly #samplesPerMs: number;
  readonly #leadMs: number;
  /** In units of 1 / VOLUME_UNIT. */
  readonly #volume: number;
  readonly #silence: Int16Array;
  #mixed: Int16Array;
  #clip: Int16Array | null = null;
  /** Index in the clip of the sample that is mixed next. */
  #position = 0;
  /** When all that was written will have been heard. */
  #endMs = -Infinity;
  #closed = false;

  constructor(options: BackgroundMixerOptions) {
    this.#options = options;
    const { outputFormat, outputLeadMs } = options.output;
    this.outputFormat = outputFormat;
    this.outputLeadMs = outputLeadMs;
    this.#samplesPerMs = outputFormat.sampleRateHz / 1000;
    this.#leadMs = Math.min(BACKGROUND_LEAD_MS, Math.max(FRAME_MS, outputLeadMs));
    this.#volume = Math.round(options.volume * VOLUME_UNIT);
    this.#silence = new Int16Array(Math.round(FRAME_MS * this.#samplesPerMs));
    this.#mixed = new Int16Array(this.#silence.length);
  }

  /** Begins. `clip` is at the output's rate, not empty, and isn't changed from now on. */
  play(clip: Int16Array): void {
    if (this.#closed) return;
    this.#clip = clip;
    // Voices first: what they have is to be written before it is judged whether there is nothing.
    this.#options.pacer.addLast(this);
  }

  /** The call is over. Idempotent. */
  close(): void {
    this.#closed = true;
    this.#clip = null;
    this.#options.pacer.remove(this);
  }

  write(samples: Int16Array, markId?: string): void {
    const { output, clock } = this.#options;
    output.write(this.#mix(samples), markId);
    this.#endMs = Math.max(this.#endMs, clock.nowMs()) + samples.length / this.#samplesPerMs;
  }

  clear(): void {
    const { output, clock } = this.#options;
    const nowMs = clock.nowMs();
    output.clear();
    if (this.#clip) {
      const unheard = Math.round(Math.max(0, this.#endMs - nowMs) * this.#samplesPerMs);
      const { length } = this.#clip;
      this.#position = (this.#position + length - (unheard % length)) % length;
    }
    this.#endMs = Math.min(this.#endMs, nowMs);
    this.pump(nowMs);
  }

  playoutDelayMs(nowMs: number): number {
    return Math.max(0, this.#endMs - nowMs);
  }

  playbackLagMs(nowMs: number): number {
    return this.#options.output.playbackLagMs?.(nowMs) ?? 0;
  }

  /** Writes the background alone where nothing else is about to be heard. Never throws. */
  pump(nowMs: number): void {
    if (!this.#clip) return;
    try {
      while (this.#endMs - nowMs <= this.#leadMs - FRAME_MS) this.write(this.#silence);
    } catch (thrown) {
      this.close();
      this.#options.onBroken(toError(thrown));
    }
  }

  /** In memory that the next call uses again. */
  #mix(samples: Int16Array): Int16Array {
    const clip = this.#clip;
    if (!clip) return samples;
    if (this.#mixed.length < samples.length) this.#mixed = new Int16Array(samples.length);
    const mixed = this.#mixed.subarray(0, samples.length);
    let position = this.#position;
    for (let i = 0; i < samples.length; i += 1) {
      const background = ((clip[position] ?? 0) * this.#volume + VOLUME_UNIT / 2) >> VOLUME_BITS;
      const sum = (samples[i] ?? 0) + background;
      mixed[i] = sum > 32_767 ? 32_767 : sum < -32_768 ? -32_768 : sum;
      position += 1;
      if (position === clip.length) position = 0;
    }
    this.#position = position;
    return mixed;
  }
}
