import { VAD_WINDOW_MS, type VoiceActivityDetector } from '@calls/engine-ports/voice-activity-detector';
import { toError } from '@calls/foundation/errors';
import { EnergyVad } from './energy-vad.ts';
import { windowLevels, type WindowLevels } from './window-levels.ts';

/** Windows that may wait for the detector. Beyond this, the oldest uses its energy estimate. */
const MAX_WAITING_WINDOWS = 128;
/** Upper bound of the lag behind the audio. */
export const MAX_VAD_LAG_MS = MAX_WAITING_WINDOWS * VAD_WINDOW_MS;

interface WaitingWindow {
  arrivedMs: number;
  levels: WindowLevels;
  /** Estimate by energy alone. */
  estimate: number;
  /** Null until the detector has responded. */
  probability: number | null;
}

export interface WindowScorerOptions {
  detector: VoiceActivityDetector;
  /** Called once per window, in order; `arrivedMs` as passed to `push`. */
  onProbability: (probability: number, arrivedMs: number, levels: WindowLevels) => void;
  /** The detector failed or cannot keep up; reported once. */
  onError: (error: Error) => void;
}

/**
 * Scores every window of a call, in order, however slow the detector is. Windows that the detector rejects or
 * does not score in time use the energy estimate.
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

  /** Does not take ownership of the array. */
  push(window: Int16Array, arrivedMs: number): void {
    if (this.#closed) return;
    const levels = windowLevels(window);
    const waiting: WaitingWindow = {
      arrivedMs,
      levels,
      estimate: this.#energy.probability(levels),
      probability: null,
    };
    this.#waiting.push(waiting);
    const oldest = this.#waiting.at(-1 - MAX_WAITING_WINDOWS);
    if (oldest) this.#settle(oldest, oldest.estimate);
    this.#options.detector.push(window).then(
      (probability) => this.#settle(waiting, probability),
      (thrown: unknown) => {
        if (!this.#closed && !this.#failed) this.#options.onError(toError(thrown));
        this.#failed = true;
        this.#settle(waiting, waiting.estimate);
      },
    );
  }

  /** Closes the detector. Nothing is scored afterwards. */
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
      this.#options.onProbability(next.probability, next.arrivedMs, next.levels);
    }
  }
}
