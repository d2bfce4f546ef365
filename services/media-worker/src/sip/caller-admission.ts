import { SIP_CALLER_EXCHANGE, type SipCallerQuestion } from '@calls/api-contract';
import { NobodyAnswersError, type Bus } from '@calls/bus';
import { toError, type Clock, type Logger } from '@calls/foundation';
import type { Admission, UnansweredInvite } from '@calls/sip';
import { callerQuestion } from './invite-question.ts';
import { hostOf } from './sip-host.ts';

/** A change of an account's ranges holds from then on at the latest. */
const REMEMBERED_MS = 30_000;
const MAX_REMEMBERED = 5000;
/** For control-planes to say who may call, a second one where the first is gone. */
const ANSWER_LIMIT_MS = 10_000;

const ADMITTED: Admission = { kind: 'admitted', isPeer: true };
/** The control-plane checks the address when it creates the call, so an unchecked source does not count as a peer. */
const UNCHECKED: Admission = { kind: 'admitted', isPeer: false };
const UNAVAILABLE: Admission = { kind: 'refused', status: 503, reason: 'Service Unavailable' };

export interface CallerAdmissionOptions {
  bus: Pick<Bus, 'ask'>;
  clock: Pick<Clock, 'nowMs'>;
  log: Pick<Logger, 'error'>;
}

/** Asks control-planes whether a caller's address may call, and remembers what they say for a while. */
export class CallerAdmission {
  readonly #options: CallerAdmissionOptions;
  /** Questions under way, by the same keys. */
  readonly #asking = new Map<string, Promise<Admission>>();
  /** By domain and address, in the order of their last use. */
  readonly #remembered = new Map<string, { admission: Admission; untilMs: number }>();

  constructor(options: CallerAdmissionOptions) {
    this.#options = options;
  }

  /** The remembered decision, or a function that asks for one. INVITEs with the same key share one question. Does not reject. */
  admit(invite: UnansweredInvite): Admission | (() => Promise<Admission>) {
    const question = callerQuestion(invite);
    const key = `${question.domain} ${hostOf(question.to.uri) ?? ''} ${question.sourceAddress}`;
    const remembered = this.#remembered.get(key);
    if (remembered && this.#options.clock.nowMs() < remembered.untilMs) return remembered.admission;
    return () => {
      const asked = this.#asking.get(key) ?? this.#ask(key, question).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asked);
      return asked;
    };
  }

  async #ask(key: string, question: SipCallerQuestion): Promise<Admission> {
    const { bus } = this.#options;
    try {
      const answer = await bus.ask(SIP_CALLER_EXCHANGE, question, AbortSignal.timeout(ANSWER_LIMIT_MS));
      const admission: Admission = answer.kind === 'allowed' ? ADMITTED : { ...answer, kind: 'refused' };
      this.#remember(key, admission);
      return admission;
    } catch (thrown) {
      // Control-planes of the release before serve no such question: they check the address when the call is created.
      if (thrown instanceof NobodyAnswersError) return UNCHECKED;
      this.#options.log.error({ err: toError(thrown) }, 'failed to check the address of a SIP caller');
      return UNAVAILABLE;
    }
  }

  #remember(key: string, admission: Admission): void {
    this.#remembered.delete(key);
    this.#remembered.set(key, { admission, untilMs: this.#options.clock.nowMs() + REMEMBERED_MS });
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined && this.#remembered.size > MAX_REMEMBERED) this.#remembered.delete(oldest);
  }
}
