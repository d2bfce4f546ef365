import { toError } from '@calls/foundation/errors';
import { VAD_WINDOW_MS, type VoiceActivityDetector } from '../ports/voice-activity-detector.ts';
import { EnergyVad } from './energy-vad.ts';

/** Windows that may wait for the detector. The oldest beyond this is judged by its energy. */
const MAX_WAITING_WINDOWS = 128;
/** How far behind the audio a judgement is at most. */
export const MAX_VAD_LAG_MS = MAX_WAITING_WINDOWS * VAD_WINDOW_MS;

interface WaitingWindow {
  arrivedMs: number;
  /** By energy alone. */
  estimate: number;
  /** Null until the detector has answered. */
  probability: number | null;
}

export interface WindowScorerOptions {
  detector: VoiceActivityDetector;
  /** Each window once, in order; `arrivedMs`: as it was pushed. */
  onProbability: (probability: number, arrivedMs: number) => void;
  /** The detector failed, or cannot keep up; the first time only. */
  onFault: (fault: Error) => void;
}

/**
 * Has every window of a call judged, in order, however late the detector is. What the detector refuses, fails to judge, or
 * has not judged in time, is judged by its energy: speech is noticed all the same.
 */
export class WindowScorer {
  readonly #options: WindowScorerOptions;
  readonly #energy = new EnergyVad();
  #waiting: WaitingWindow[] = [];
  #failed = false;
  #closed = false;

  constructor(options: WindowScorerOptions) {
    this.#options = options;
  }

  /** The array is the caller's. */
  push(window: Int16Array, arrivedMs: number): void {
    if (this.#closed) return;
    const waiting: WaitingWindow = {
      arrivedMs,
      estimate: this.#energy.probability(window),
      probability: null,
    };
    this.#waiting.push(waiting);
    const oldest = this.#waiting.at(-1 - MAX_WAITING_WINDOWS);
    if (oldest) this.#settle(oldest, oldest.estimate);
    this.#options.detector.push(window).then(
      (probability) => this.#settle(waiting, probability),
      (thrown: unknown) => {
        if (!this.#closed && !this.#failed) this.#options.onFault(toError(thrown));
        this.#failed = true;
        this.#settle(waiting, waiting.estimate);
      },
    );
  }

  /** Frees the detector. Nothing is judged any more. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#waiting = [];
    this.#options.detector.close();
  }

  #settle(waiting: WaitingWindow, probability: number): void {
    waiting.probability ??= probability;
    for (let next = this.#waiting[0]; next && next.probability !== null; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#options.onProbability(next.probability, next.arrivedMs);
    }
  }
}
