import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { AudioFormat, AudioOutput } from '../ports/media-transport.ts';
import { FRAME_MS } from './agent-utterance.ts';
import type { Paced, Pacer } from './pacer.ts';

/**
 * How far ahead background audio is written while the agent is silent. Small, because the agent's voice starts
 * after it.
 */
const BACKGROUND_LEAD_MS = 2 * FRAME_MS;
/** Fixed-point volume: integer multiplication is the hot path. */
const VOLUME_BITS = 15;
const VOLUME_UNIT = 2 ** VOLUME_BITS;

export interface BackgroundMixerOptions {
  output: AudioOutput;
  /** Gain of the clip, 0 to 1. */
  volume: number;
  pacer: Pacer;
  clock: Clock;
  /** The output failed; nothing more is written. */
  onFatalError: (error: Error) => void;
}

/**
 * Mixes looped background audio into the agent's voice, and writes it alone while the agent is silent. Wraps
 * the call's own output. It reports when written audio will play, and rewinds the clip to the playback position
 * when the output is cleared.
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
  /** Index of the clip sample to mix next. */
  #position = 0;
  /** When all written audio will have been played. */
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

  /** Starts playback. `clip` has the output's rate, is not empty, and must not be modified. */
  play(clip: Int16Array): void {
    if (this.#closed) return;
    this.#clip = clip;
    // Runs after the voices, so that it fills only what they leave silent.
    this.#options.pacer.addLast(this);
  }

  /** Stops. Idempotent. */
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
      const unplayed = Math.round(Math.max(0, this.#endMs - nowMs) * this.#samplesPerMs);
      const { length } = this.#clip;
      this.#position = (this.#position + length - (unplayed % length)) % length;
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

  /** Writes background audio if nothing else is about to play. Never throws. */
  pump(nowMs: number): void {
    if (!this.#clip) return;
    try {
      while (this.#endMs - nowMs <= this.#leadMs - FRAME_MS) this.write(this.#silence);
    } catch (thrown) {
      this.close();
      this.#options.onFatalError(toError(thrown));
    }
  }

  /** Returns a buffer that the next call reuses. */
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
