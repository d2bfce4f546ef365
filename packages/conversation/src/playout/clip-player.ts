import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { AudioOutput } from '../ports/media-transport.ts';
import { FRAME_MS } from './agent-utterance.ts';
import type { Paced, Pacer } from './pacer.ts';
import type { AudioTap } from './playout.ts';

/**
 * Maximum lead of sent frames over playback. If the player cannot clear the output, sent audio still plays after
 * `close`.
 */
const MAX_LEAD_MS = 100;

export interface ClipPlayerOptions {
  output: AudioOutput;
  pacer: Pacer;
  clock: Clock;
  /** Receives each frame as it is sent, with the time at which it is played. Null if not needed. */
  onFrame: AudioTap | null;
  onFatalError: (error: Error) => void;
}

/** Plays a clip in 20 ms frames by deadlines, once or in a loop. */
export class ClipPlayer implements Paced {
  readonly #options: ClipPlayerOptions;
  readonly #frame: Int16Array;
  readonly #leadMs: number;
  #clip: Int16Array = new Int16Array(0);
  #repeats = false;
  #position = 0;
  /** When all sent audio will have been played. */
  #endMs = -Infinity;
  #onPlayed: (() => void) | null = null;

  constructor(options: ClipPlayerOptions) {
    this.#options = options;
    const { outputLeadMs, outputFormat } = options.output;
    this.#leadMs = Math.min(MAX_LEAD_MS, Math.max(FRAME_MS, outputLeadMs));
    this.#frame = new Int16Array(Math.round((FRAME_MS * outputFormat.sampleRateHz) / 1000));
  }

  /** Loops the clip until `close`. The clip has the output's sample rate and must not be modified. */
  repeat(clip: Int16Array): void {
    this.#start(clip, true, null);
  }

  /** Plays the clip once. Resolves when it has been played; never resolves after `close`. Call it once. */
  play(clip: Int16Array): Promise<void> {
    return new Promise((resolve) => this.#start(clip, false, resolve));
  }

  /** Sends the frames that are due. Never throws. */
  pump(nowMs: number): void {
    try {
      while (this.#endMs + FRAME_MS - nowMs <= this.#leadMs && this.#hasMore) this.#send(nowMs);
      if (!this.#hasMore && nowMs >= this.#endMs) this.#finish();
    } catch (thrown) {
      this.close();
      this.#options.onFatalError(toError(thrown));
    }
  }

  /** Stops and drops audio that was not played. Idempotent. */
  close(): void {
    const { clock, output, pacer } = this.#options;
    pacer.remove(this);
    this.#onPlayed = null;
    this.#clip = new Int16Array(0);
    if (this.#endMs > clock.nowMs()) output.clear();
    this.#endMs = -Infinity;
  }

  #start(clip: Int16Array, repeats: boolean, onPlayed: (() => void) | null): void {
    this.#clip = clip;
    this.#repeats = repeats;
    this.#onPlayed = onPlayed;
    this.#options.pacer.add(this);
  }

  get #hasMore(): boolean {
    return this.#position < this.#clip.length;
  }

  #send(nowMs: number): void {
    const { output, onFrame } = this.#options;
    const [frame, clip] = [this.#frame, this.#clip];
    let filled = 0;
    while (filled < frame.length && this.#position < clip.length) {
      const part = clip.subarray(this.#position, this.#position + frame.length - filled);
      frame.set(part, filled);
      filled += part.length;
      this.#position += part.length;
      if (this.#repeats && this.#position === clip.length) this.#position = 0;
    }
    frame.fill(0, filled);
    // Background audio may have been written in between.
    const startMs = Math.max(this.#endMs, nowMs + (output.playoutDelayMs?.(nowMs) ?? 0));
    output.write(frame);
    this.#endMs = startMs + FRAME_MS;
    onFrame?.(frame, startMs);
  }

  #finish(): void {
    this.#options.pacer.remove(this);
    this.#onPlayed?.();
    this.#onPlayed = null;
  }
}
