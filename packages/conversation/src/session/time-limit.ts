import type { EndReason } from '@calls/api-contract/rest/enums';
import type { Clock, Timer } from '@calls/foundation/clock';

/** How long last words may go on past maxDuration (decisions.md). */
const LAST_WORDS_LIMIT_MS = 15_000;

export interface TimeLimitOptions {
  /** Of maxDuration. */
  leftMs: number;
  /** Said when the time is up; empty: nothing is. */
  message: () => string;
  clock: Clock;
  /** Says the words, if any, then ends the call. */
  end: (words: string, reason: EndReason) => void;
}

/** Ends a call at maxDuration: with its message, and shortly after whatever became of that. */
export class TimeLimit {
  #timer: Timer;

  constructor({ leftMs, message, clock, end }: TimeLimitOptions) {
    this.#timer = clock.setTimer(leftMs, () => {
      this.#timer = clock.setTimer(LAST_WORDS_LIMIT_MS, () => end('', 'timeout'));
      end(message(), 'timeout');
    });
  }

  cancel(): void {
    this.#timer.cancel();
  }
}
