import { SIP_CALLER_EXCHANGE, type SipCallerQuestion } from '@calls/api-contract/bus/sip-invites';
import { NoRespondersError } from '@calls/bus/bus-error';
import type { ControlPlaneRequests } from '@calls/bus/request-reply';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { Admission, UnansweredInvite } from '@calls/sip/endpoint-options';
import { callerQuestion } from './invite-question.ts';
import { hostOf } from './sip-address.ts';

/** An address that an account no longer allows is refused after this time at the latest. */
const REMEMBERED_MS = 30_000;
const MAX_REMEMBERED = 5000;
/** Time limit of a caller check, including a retry at a second control-plane. */
const ANSWER_LIMIT_MS = 10_000;

const ADMITTED: Admission = { kind: 'admitted', isPeer: true };
/** The control-plane checks the address when it creates the call, so an unchecked source does not count as a peer. */
const UNCHECKED: Admission = { kind: 'admitted', isPeer: false };
const UNAVAILABLE: Admission = { kind: 'refused', status: 503, reason: 'Service Unavailable' };

export interface CallerAdmissionOptions {
  requests: Pick<ControlPlaneRequests, 'send'>;
  clock: Pick<Clock, 'nowMs'>;
  log: Pick<Logger, 'error'>;
}

/**
 * Asks control-planes whether a caller's address may call. Permission is remembered for a while. A refusal is not, so that a
 * change of the account's settings takes effect at once.
 */
export class CallerAdmission {
  readonly #options: CallerAdmissionOptions;
  /** Pending questions, by the same keys. */
  readonly #asking = new Map<string, Promise<Admission>>();
  /** Expiry of permissions, by domain and address, in order of last use. */
  readonly #allowed = new Map<string, number>();

  constructor(options: CallerAdmissionOptions) {
    this.#options = options;
  }

  /** The remembered permission, or a function that asks for a decision. INVITEs with the same key share one question. Does not reject. */
  admit(invite: UnansweredInvite): Admission | (() => Promise<Admission>) {
    const question = callerQuestion(invite);
    const key = `${question.domain} ${hostOf(question.to.uri) ?? ''} ${question.sourceAddress}`;
    if (this.#options.clock.nowMs() < (this.#allowed.get(key) ?? 0)) return ADMITTED;
    return () => {
      const asked = this.#asking.get(key) ?? this.#ask(key, question).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asked);
      return asked;
    };
  }

  async #ask(key: string, question: SipCallerQuestion): Promise<Admission> {
    const { requests } = this.#options;
    try {
      const answer = await requests.send(SIP_CALLER_EXCHANGE, question, AbortSignal.timeout(ANSWER_LIMIT_MS));
      if (answer.kind !== 'allowed') return { ...answer, kind: 'refused' };
      this.#remember(key);
      return ADMITTED;
    } catch (thrown) {
      // Control-planes of the previous release do not answer this question; they check the address when the call is
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
