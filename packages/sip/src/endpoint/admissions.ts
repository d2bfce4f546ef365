import { networkOf } from '@calls/foundation/address-network';
import type { Admission, SipEndpointOptions, SipLimits } from '../endpoint-options.ts';
import type { ReceivedRequest } from '../message/received.ts';
import { serverKey } from '../transaction/keys.ts';
import { partyOf } from './address-uris.ts';

/** The decision on an INVITE. `cancelled`: its sender cancelled it while it waited. `tooMany`: no room to wait. */
export type AdmissionOutcome = Admission | { kind: 'cancelled' } | { kind: 'tooMany' };

type AdmissionLimits = Pick<SipLimits, 'admissions' | 'admissionsPerUnknownSource' | 'admissionsPerPeer'>;

/** INVITEs that wait for an admission decision. They have no transactions yet. */
export class Admissions {
  readonly #admit: SipEndpointOptions['admit'];
  readonly #limits: AdmissionLimits;
  /** By the keys of their future transactions. */
  readonly #waiting = new Map<string, { source: string; isCancelled: boolean }>();

  constructor({ admit }: Pick<SipEndpointOptions, 'admit'>, limits: AdmissionLimits) {
    this.#admit = admit;
    this.#limits = limits;
  }

  /** Calls `then` once, immediately if the decision is already known; never for a repetition of a waiting INVITE. */
  check(received: ReceivedRequest, isPeer: boolean, then: (outcome: AdmissionOutcome) => void): void {
    const { message, envelope, source } = received;
    const key = serverKey(received);
    if (this.#waiting.has(key)) return;
    const { from, to } = envelope;
    const decision = this.#admit?.({
      requestUri: message.uri,
      from: partyOf(from),
      to: partyOf(to),
      source,
      headers: message.headers,
    }) ?? { kind: 'admitted', isPeer: true };
    if (typeof decision !== 'function') {
      then(decision);
      return;
    }
    const waiting = { source: networkOf(source.address), isCancelled: false };
    if (!this.#hasRoomFor(waiting.source, isPeer)) {
      then({ kind: 'tooMany' });
      return;
    }
    this.#waiting.set(key, waiting);
    void decision().then((admission) => {
      this.#waiting.delete(key);
      then(waiting.isCancelled ? { kind: 'cancelled' } : admission);
    });
  }

  /** Cancels the waiting INVITE of this CANCEL. Returns whether there was one. */
  cancel(received: ReceivedRequest): boolean {
    const waiting = this.#waiting.get(serverKey(received, 'INVITE'));
    if (waiting) waiting.isCancelled = true;
    return waiting !== undefined;
  }

  #hasRoomFor(source: string, isPeer: boolean): boolean {
    const { admissions, admissionsPerUnknownSource, admissionsPerPeer } = this.#limits;
    if (this.#waiting.size >= admissions) return false;
    const own = [...this.#waiting.values()].filter((each) => each.source === source);
    return own.length < (isPeer ? admissionsPerPeer : admissionsPerUnknownSource);
  }
}
