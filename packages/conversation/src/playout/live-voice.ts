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

/** Plays the live voice of a person in 20 ms frames by deadlines. */
export class LiveVoice implements Paced {
  readonly #options: LiveVoiceOptions;
  readonly #resampler: Resampler;
  readonly #samplesPerMs: number;
  readonly #leadMs: number;
  readonly #frame: Int16Array;
  /** The first `#waitingSamples` are used. */
  readonly #waiting: Int16Array;
  #waitingSamples = 0;
  /** When all sent audio will have been played. */
  #endMs = -Infinity;
  #closed = false;

  constructor(options: LiveVoiceOptions) {
    this.#options = options;
    const { outputLeadMs, outputFormat } = options.output;
    const { sampleRateHz } = outputFormat;
    this.#resampler = createResampler(options.inputRateHz, sampleRateHz);
    this.#samplesPerMs = sampleRateHz / 1000;
    this.#leadMs = Math.min(MAX_LEAD_MS, Math.max(FRAME_MS, outputLeadMs));
    this.#frame = new Int16Array(Math.round(FRAME_MS * this.#samplesPerMs));
    this.#waiting = new Int16Array(Math.round(MAX_WAITING_MS * this.#samplesPerMs));
    options.pacer.add(this);
  }

  /** Adds audio at the input rate. Does not retain it. */
  push(samples: Int16Array): void {
    if (this.#closed) return;
    const capacity = this.#waiting.length;
    const added = this.#resampler.process(samples).subarray(-capacity);
    const excess = this.#waitingSamples + added.length - capacity;
    if (excess > 0) this.#drop(excess);
    this.#waiting.set(added, this.#waitingSamples);
    this.#waitingSamples += added.length;
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
    this.#waitingSamples = 0;
    this.#options.pacer.remove(this);
    this.#resampler.close();
  }

  #isDue(nowMs: number): boolean {
    const isPlaying = this.#endMs > nowMs;
    const neededSamples = isPlaying ? this.#frame.length : START_MS * this.#samplesPerMs;
    if (this.#closed || this.#waitingSamples < neededSamples) return false;
    return !isPlaying || this.#endMs + FRAME_MS - nowMs <= this.#leadMs;
  }

  #send(nowMs: number): void {
    const { output, onFrame } = this.#options;
    this.#frame.set(this.#waiting.subarray(0, this.#frame.length));
    this.#drop(this.#frame.length);
    // Background audio may have been written in between.
    const startMs = Math.max(this.#endMs, nowMs + (output.playoutDelayMs?.(nowMs) ?? 0));
    output.write(this.#frame);
    this.#endMs = startMs + FRAME_MS;
    onFrame(this.#frame, startMs);
  }

  #drop(count: number): void {
    this.#waiting.copyWithin(0, count, this.#waitingSamples);
    this.#waitingSamples -= count;
  }
}
