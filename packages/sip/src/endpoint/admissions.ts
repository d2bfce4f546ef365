import { networkOf } from '@calls/foundation';
import type { Admission, SipEndpointOptions, SipLimits } from '../endpoint-options.ts';
import type { ReceivedRequest } from '../message/received.ts';
import { serverKey } from '../transaction/keys.ts';
import { partyOf } from './address-uris.ts';

/** What becomes of an INVITE: `cancelled` if its sender gave up meanwhile. */
export type AdmissionOutcome = Admission | { kind: 'cancelled' };

type AdmissionLimits = Pick<SipLimits, 'admissions' | 'admissionsPerSource'>;

/** INVITEs of which it is asked whether they are taken. There are no transactions of them, nor anything else. */
export class Admissions {
  readonly #admit: SipEndpointOptions['admit'];
  readonly #limits: AdmissionLimits;
  /** By the keys of their transactions, if they get one. */
  readonly #waiting = new Map<string, { source: string; isCancelled: boolean }>();

  constructor({ admit }: Pick<SipEndpointOptions, 'admit'>, limits: AdmissionLimits) {
    this.#admit = admit;
    this.#limits = limits;
  }

  /** Calls `then` once; never for one that is asked about already, or is one too many. */
  ask(received: ReceivedRequest, then: (outcome: AdmissionOutcome) => void): void {
    if (!this.#admit) {
      then({ kind: 'admitted' });
      return;
    }
    const { message, envelope, source } = received;
    const key = serverKey(received);
    if (this.#waiting.has(key) || !this.#hasRoomFor(networkOf(source.address))) return;
    const waiting = { source: networkOf(source.address), isCancelled: false };
    this.#waiting.set(key, waiting);
    const { from, to } = envelope;
    void this.#admit({ requestUri: message.uri, from: partyOf(from), to: partyOf(to), source }).then(
      (admission) => {
        this.#waiting.delete(key);
        then(waiting.isCancelled ? { kind: 'cancelled' } : admission);
      },
    );
  }

  /** Whether the CANCEL is of an INVITE that waits, which is then cancelled. */
  cancel(received: ReceivedRequest): boolean {
    const waiting = this.#waiting.get(serverKey(received, 'INVITE'));
    if (waiting) waiting.isCancelled = true;
    return waiting !== undefined;
  }

  #hasRoomFor(source: string): boolean {
    const { admissions, admissionsPerSource } = this.#limits;
    if (this.#waiting.size >= admissions) return false;
    const own = [...this.#waiting.values()].filter((each) => each.source === source);
    return own.length < admissionsPerSource;
  }
}
