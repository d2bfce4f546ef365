import { SIP_CALLER_REQUEST, type SipCallerRequestMessage } from '@calls/api-contract/bus/sip-invites';
import { NoRespondersError } from '@calls/bus/bus-error';
import type { ControlPlaneRequests } from '@calls/bus/request-reply';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { Admission, UnansweredInvite } from '@calls/sip/endpoint-options';
import { DigestGuard, type PresentedCredentials } from './digest-guard.ts';
import { callerRequestMessage } from './invite-request-message.ts';
import { hostOf } from '../sip-address.ts';

/**
 * How long permission of an address is remembered. It is the delay until an address that the account no longer allows
 * is refused.
 */
const REMEMBERED_MS = 30_000;
const MAX_REMEMBERED = 5000;
/** Time limit of a caller check, including a retry at a second control-plane. */
const REPLY_LIMIT_MS = 10_000;

const ADMITTED = { kind: 'admitted', isPeer: true } as const;
const FORBIDDEN: Admission = { kind: 'refused', status: 403, reason: 'Forbidden' };
/** The control-plane checks the address when it creates the call, so an unchecked source does not count as a peer. */
const UNCHECKED: Admission = { kind: 'admitted', isPeer: false };
const UNAVAILABLE: Admission = { kind: 'refused', status: 503, reason: 'Service Unavailable' };

export interface CallerAdmissionOptions {
  requests: Pick<ControlPlaneRequests, 'send'>;
  clock: Pick<Clock, 'nowMs'>;
  log: Pick<Logger, 'error'>;
}

/**
 * Asks control-planes whether a caller may call: by its address or by credentials, for which it is challenged.
 * Permission of an address is cached for a while. A refusal is not, so that a change of the account's settings takes
 * effect immediately.
 */
export class CallerAdmission {
  readonly #options: CallerAdmissionOptions;
  readonly #guard: DigestGuard;
  /** Pending requests, by the same keys. */
  readonly #checks = new Map<string, Promise<Admission>>();
  /** Expiry of permissions, by domain and address, in order of last use. */
  readonly #allowed = new Map<string, number>();

  constructor(options: CallerAdmissionOptions) {
    this.#options = options;
    this.#guard = new DigestGuard(options.clock);
  }

  /**
   * The cached permission, or a function that requests a decision. INVITEs with the same key share one request. Does
   * not reject.
   */
  admit(invite: UnansweredInvite): Admission | (() => Promise<Admission>) {
    const request = callerRequestMessage(invite);
    const key = `${request.domain} ${hostOf(request.to.uri) ?? ''} ${request.sourceAddress}`;
    if (this.#options.clock.nowMs() < (this.#allowed.get(key) ?? 0)) return ADMITTED;
    if (this.#guard.isBlocked(invite.source)) return FORBIDDEN;
    const presented = this.#guard.presented(invite);
    const shared =
      presented.kind === 'digest' ? `${key} ${presented.digest.response}` : `${key} ${presented.kind}`;
    return () => {
      const check =
        this.#checks.get(shared) ??
        this.#check(key, request, { invite, presented }).finally(() => this.#checks.delete(shared));
      this.#checks.set(shared, check);
      return check;
    };
  }

  async #check(
    key: string,
    request: SipCallerRequestMessage,
    { invite: { source }, presented }: { invite: UnansweredInvite; presented: PresentedCredentials },
  ): Promise<Admission> {
    const { requests } = this.#options;
    const message = presented.kind === 'digest' ? { ...request, digest: presented.digest } : request;
    try {
      const reply = await requests.send(SIP_CALLER_REQUEST, message, AbortSignal.timeout(REPLY_LIMIT_MS));
      if (reply.kind === 'reject') return { ...reply, kind: 'refused' };
      if (reply.kind === 'challenge') {
        if (presented.kind === 'digest') this.#guard.failed(source);
        return this.#guard.challenge(reply.realm, source, presented.kind === 'stale');
      }
      // Credentials admit one INVITE, not its address.
      if (reply.trunkId !== undefined) return { ...ADMITTED, grant: reply.trunkId };
      this.#remember(key);
      return ADMITTED;
    } catch (thrown) {
      // Control-planes of the previous release do not answer this request; they check the address when the call is
      // created.
      if (thrown instanceof NoRespondersError) return UNCHECKED;
      this.#options.log.error({ err: toError(thrown) }, 'failed to check the address of a SIP caller');
      return UNAVAILABLE;
    }
  }

  #remember(key: string): void {
    this.#allowed.delete(key);
    this.#allowed.set(key, this.#options.clock.nowMs() + REMEMBERED_MS);
    const [oldest] = this.#allowed.keys();
    if (oldest !== undefined && this.#allowed.size > MAX_REMEMBERED) this.#allowed.delete(oldest);
  }
}
