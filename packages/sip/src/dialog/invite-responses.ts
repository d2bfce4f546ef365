import type { Clock, Timer } from '@calls/foundation/clock';
import { headerOf } from '../message/headers.ts';
import type { SipResponse } from '../message/message.ts';
import type { ReceivedRequest } from '../message/received.ts';
import { T1_MS, T2_MS, TRANSACTION_LIMIT_MS } from '../transaction/machine.ts';
import type { ServerTransaction } from '../transaction/transactions.ts';

/** The 2xx responses to the INVITEs of one dialog, one at a time. */
export class InviteResponses {
  readonly #clock: Clock;
  #sending: { retransmitted: RetransmittedResponse; cseq: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a 2xx waits for its ACK. */
  get isPending(): boolean {
    return this.#sending !== null;
  }

  /** Sends a 2xx until its ACK arrives; null if it does not arrive, or `stop` ends the wait. */
  async send(transaction: ServerTransaction, response: SipResponse): Promise<ReceivedRequest | null> {
    const retransmitted = new RetransmittedResponse(this.#clock, () => transaction.respond(response));
    const cseq = Number.parseInt(headerOf(response, 'CSeq') ?? '', 10);
    this.#sending = { retransmitted, cseq };
    const ack = await retransmitted.acknowledged;
    this.#sending = null;
    return ack;
  }

  /** Handles an ACK of the dialog. It may be a late copy of an earlier one. */
  acknowledged(ack: ReceivedRequest): void {
    if (ack.envelope.cseq.number === this.#sending?.cseq) this.#sending.retransmitted.settle(ack);
  }

  stop(): void {
    this.#sending?.retransmitted.settle(null);
  }
}

/** Sends a 2xx to an INVITE until its ACK arrives (RFC 3261, 13.3.1.4), even over TCP. */
export class RetransmittedResponse {
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
