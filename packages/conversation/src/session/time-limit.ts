import type { Clock, Timer } from '@calls/foundation/clock';

/** How long the final message may play past maxDuration. */
const FINAL_MESSAGE_LIMIT_MS = 15_000;

export interface TimeLimitOptions {
  /** Time left until maxDuration. */
  leftMs: number;
  /** Message at the time limit; empty for none. */
  message: () => string;
  clock: Clock;
  /** Plays the message, if any, then ends the call. */
  end: (message: string) => void;
}

/** Ends a call at maxDuration: plays the message, then ends the call, after FINAL_MESSAGE_LIMIT_MS at the latest. */
export class TimeLimit {
  #timer: Timer;

  constructor({ leftMs, message, clock, end }: TimeLimitOptions) {
    this.#timer = clock.setTimer(leftMs, () => {
      this.#timer = clock.setTimer(FINAL_MESSAGE_LIMIT_MS, () => end(''));
      end(message());
    });
  }

  cancel(): void {
    this.#timer.cancel();
  }
}
