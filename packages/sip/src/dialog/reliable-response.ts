import { randomInt } from 'node:crypto';
import type { Clock } from '@calls/foundation/clock';
import { RetransmittedResponse } from './invite-responses.ts';
import { headerOf, type SipHeaders } from '../message/headers.ts';
import type { ReceivedRequest } from '../message/received.ts';

/** A provisional response that is repeated until the peer acknowledges it with PRACK (RFC 3262). */
export class ReliableResponse {
  /** Headers of the response. */
  readonly headers: SipHeaders;
  /** Value of the RAck header in its PRACK. */
  readonly #rack: string;
  readonly #clock: Clock;
  #sending: RetransmittedResponse | null = null;

  constructor(clock: Clock, inviteCSeq: number) {
    const rseq = randomInt(1, 2 ** 31);
    this.headers = [
      ['Require', '100rel'],
      ['RSeq', String(rseq)],
    ];
    this.#rack = `${rseq} ${inviteCSeq} INVITE`;
    this.#clock = clock;
  }

  /** Resolves to whether the PRACK arrived; false also if `stop` ended the wait. */
  async send(send: () => void): Promise<boolean> {
    this.#sending = new RetransmittedResponse(this.#clock, send);
    return (await this.#sending.acknowledged) !== null;
  }

  /** Whether the PRACK is for this response. */
  takes(prack: ReceivedRequest): boolean {
    const isMatching = (headerOf(prack.message, 'RAck') ?? '').trim().replaceAll(/\s+/gu, ' ') === this.#rack;
    if (isMatching) this.#sending?.settle(prack);
    return isMatching;
  }

  /** Stops repeating the response. */
  stop(): void {
    this.#sending?.settle(null);
  }
}
