import type { Clock, Timer } from '@calls/foundation/clock';
import type { ReceivedRequest } from '../message/received.ts';
import { T1_MS, T2_MS, TRANSACTION_LIMIT_MS } from '../transaction/machine.ts';

/** Sends a 2xx to an INVITE until its ACK arrives (RFC 3261, 13.3.1.4), even over TCP. */
export class RepeatedAnswer {
  /** The ACK; null if it did not arrive in time or the wait was stopped. Never rejects. */
  readonly acknowledged: Promise<ReceivedRequest | null>;
  readonly #resolve: (ack: ReceivedRequest | null) => void;
  readonly #clock: Clock;
  readonly #send: () => void;
  readonly #untilMs: number;
  #timer: Timer;

  constructor(clock: Clock, send: () => void) {
    const { promise, resolve } = Promise.withResolvers<ReceivedRequest | null>();
    this.acknowledged = promise;
    this.#resolve = resolve;
    this.#clock = clock;
    this.#send = send;
    this.#untilMs = clock.nowMs() + TRANSACTION_LIMIT_MS;
    send();
    this.#timer = this.#repeatAfter(T1_MS);
  }

  settle(ack: ReceivedRequest | null): void {
    this.#timer.cancel();
    this.#resolve(ack);
  }

  #repeatAfter(delayMs: number): Timer {
    return this.#clock.setTimer(delayMs, () => {
      if (this.#clock.nowMs() >= this.#untilMs) {
        this.#resolve(null);
        return;
      }
      this.#send();
      const nextMs = Math.min(delayMs * 2, T2_MS, this.#untilMs - this.#clock.nowMs());
      this.#timer = this.#repeatAfter(nextMs);
    });
  }
}
