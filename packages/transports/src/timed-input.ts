import type { TransportEvent } from '@calls/conversation/ports/media-transport';
import { InputClock } from './input-clock.ts';

/** A client's audio as events, aligned with the clock: audio that is ahead is dropped, gaps are reported as missing. */
export class TimedInput {
  readonly #samplesPerMs: number;
  readonly #emit: (event: TransportEvent) => void;
  readonly #clock = new InputClock();

  constructor(sampleRateHz: number, emit: (event: TransportEvent) => void) {
    this.#samplesPerMs = sampleRateHz / 1000;
    this.#emit = emit;
  }

  /** The receiver owns `samples`. */
  audio(samples: Int16Array, nowMs: number): void {
    const durationMs = samples.length / this.#samplesPerMs;
    const acceptedMs = this.#clock.accept(durationMs, nowMs);
    if (acceptedMs >= durationMs) {
      this.#emit({ type: 'audio', samples });
      return;
    }
    const acceptedSamples = Math.floor(acceptedMs * this.#samplesPerMs);
    if (acceptedSamples > 0) this.#emit({ type: 'audio', samples: samples.slice(0, acceptedSamples) });
    this.#emit({
      type: 'input_dropped',
      durationMs: (samples.length - acceptedSamples) / this.#samplesPerMs,
    });
  }

  /** The source reports that it omitted `durationMs` right before the next audio. */
  leftOut(durationMs: number, nowMs: number): void {
    this.#missing(this.#clock.catchUp(durationMs, nowMs));
  }

  /** Call it every 100 ms. */
  check(nowMs: number): void {
    this.#missing(this.#clock.missing(nowMs));
  }

  #missing(durationMs: number): void {
    if (durationMs > 0) this.#emit({ type: 'input_missing', durationMs });
  }
}
