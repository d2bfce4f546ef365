import { clampToInt16 } from '@calls/audio/pcm';
import { createResampler, type Resampler } from '@calls/audio/resampler';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { AudioOutput } from '../ports/media-transport.ts';
import { FRAME_MS } from './agent-utterance.ts';
import type { Paced, Pacer } from './pacer.ts';
import type { AudioTap } from './playout.ts';

/** Audio that waits to be sent; the oldest beyond it is dropped. */
export const MAX_WAITING_MS = 240;
/** Audio collected before playback starts, against the jitter of the network. */
const START_MS = 60;
/** A larger lead only adds delay to a conversation between people. */
const MAX_LEAD_MS = 100;

export interface LiveVoiceOptions {
  inputRateHz: number;
  output: AudioOutput;
  pacer: Pacer;
  clock: Clock;
  /** Receives each frame as it is sent, with the time at which it is played. */
  onFrame: AudioTap;
  onFatalError: (error: Error) => void;
}

/** Audio that waits to be played; the oldest beyond the capacity is dropped. */
class WaitingAudio {
  readonly #resampler: Resampler;
  /** The first `length` samples are used. */
  readonly #samples: Int16Array;
  #length = 0;

  constructor(inputRateHz: number, outputRateHz: number, capacityMs: number) {
    this.#resampler = createResampler(inputRateHz, outputRateHz);
    this.#samples = new Int16Array(Math.round((capacityMs * outputRateHz) / 1000));
  }

  get length(): number {
    return this.#length;
  }

  push(samples: Int16Array): void {
    const capacity = this.#samples.length;
    const added = this.#resampler.process(samples).subarray(-capacity);
    const excess = this.#length + added.length - capacity;
    if (excess > 0) this.#drop(excess);
    this.#samples.set(added, this.#length);
    this.#length += added.length;
  }

  /** Adds the oldest samples to a frame, if there are enough for it, and drops them. */
  mixInto(frame: Int16Array): void {
    if (this.#length < frame.length) return;
    for (let i = 0; i < frame.length; i += 1)
      frame[i] = clampToInt16((frame[i] ?? 0) + (this.#samples[i] ?? 0));
    this.#drop(frame.length);
  }

  clear(): void {
    this.#length = 0;
  }

  close(): void {
    this.#length = 0;
    this.#resampler.close();
  }

  #drop(count: number): void {
    this.#samples.copyWithin(0, count, this.#length);
    this.#length -= count;
  }
}

/** Further audio for a live voice, which is mixed in. */
export type MixedVoice = Pick<WaitingAudio, 'push' | 'clear'>;

/** Plays the live voice of a person in 20 ms frames by deadlines. */
export class LiveVoice implements Paced {
  readonly #options: LiveVoiceOptions;
  readonly #samplesPerMs: number;
  readonly #leadMs: number;
  readonly #frame: Int16Array;
  readonly #voice: WaitingAudio;
  #inputs: readonly WaitingAudio[];
  /** When all sent audio will have been played. */
  #endMs = -Infinity;
  #closed = false;

  constructor(options: LiveVoiceOptions) {
    this.#options = options;
    const { outputLeadMs, outputFormat } = options.output;
    const { sampleRateHz } = outputFormat;
    this.#samplesPerMs = sampleRateHz / 1000;
    this.#leadMs = Math.min(MAX_LEAD_MS, Math.max(FRAME_MS, outputLeadMs));
    this.#frame = new Int16Array(Math.round(FRAME_MS * this.#samplesPerMs));
    this.#voice = new WaitingAudio(options.inputRateHz, sampleRateHz, MAX_WAITING_MS);
    this.#inputs = [this.#voice];
    options.pacer.add(this);
  }

  /** Adds audio at the input rate. Does not retain it. */
  push(samples: Int16Array): void {
    if (!this.#closed) this.#voice.push(samples);
  }

  /** Adds another voice, which may be written up to `capacityMs` ahead. Ignored once this voice is closed. */
  mix(inputRateHz: number, capacityMs: number): MixedVoice {
    const input = new WaitingAudio(inputRateHz, this.#options.output.outputFormat.sampleRateHz, capacityMs);
    if (!this.#closed) this.#inputs = [...this.#inputs, input];
    return {
      push: (samples) => {
        if (!this.#closed) input.push(samples);
      },
      clear: () => input.clear(),
    };
  }

  /** Sends the frames that are due. Never throws. */
  pump(nowMs: number): void {
    try {
      while (this.#isDue(nowMs)) this.#send(nowMs);
    } catch (thrown) {
      this.close();
      this.#options.onFatalError(toError(thrown));
    }
  }

  /** Stops, and drops what was not sent. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.pacer.remove(this);
    for (const input of this.#inputs) input.close();
  }

  #isDue(nowMs: number): boolean {
    const isPlaying = this.#endMs > nowMs;
    const neededSamples = isPlaying ? this.#frame.length : START_MS * this.#samplesPerMs;
    if (this.#closed || !this.#inputs.some(({ length }) => length >= neededSamples)) return false;
    return !isPlaying || this.#endMs + FRAME_MS - nowMs <= this.#leadMs;
  }

  #send(nowMs: number): void {
    const { output, onFrame } = this.#options;
    this.#frame.fill(0);
    for (const input of this.#inputs) input.mixInto(this.#frame);
    // Background audio may have been written in between.
    const startMs = Math.max(this.#endMs, nowMs + (output.playoutDelayMs?.(nowMs) ?? 0));
    output.write(this.#frame);
    this.#endMs = startMs + FRAME_MS;
    onFrame(this.#frame, startMs);
  }
}
