import { withTimeout, type Clock } from '@calls/foundation/clock';
import type { IncomingInvite } from '@calls/sip/calls';
import type { Admission, UnansweredInvite } from '@calls/sip/endpoint-options';
import type { CallHost } from '../../calls/call-host.ts';
import { CallerAdmission } from './caller-admission.ts';
import { RETRY_AFTER_S, handleInvite, type IncomingDeps } from './incoming-call.ts';

const ADMITTED: Admission = { kind: 'admitted', isPeer: true };
const NOT_TAKING: Admission = { kind: 'refused', status: 503, reason: 'Service Unavailable' };
/** Time limit for the response to a last BYE and for storing messages. */
const SETTLE_LIMIT_MS = 2000;

/** SIP calls of this worker, each from its INVITE to its end. */
export class ActiveSipCalls {
  readonly #calls = new Set<Promise<void>>();

  get size(): number {
    return this.#calls.size;
  }

  add(call: Promise<void>): void {
    const tracked = call.finally(() => this.#calls.delete(tracked));
    this.#calls.add(tracked);
  }

  /** Resolves when all calls have ended, or after a time limit. */
  async settled(clock: Clock): Promise<void> {
    const all = Promise.all(this.#calls).then(() => undefined);
    await withTimeout(clock, all, SETTLE_LIMIT_MS, 'the end of SIP calls').catch(() => undefined);
  }
}

/** Accepts incoming calls while there is a host for them. */
export class IncomingCalls {
  /** Runs the accepted calls. Null: calls are rejected. */
  host: Pick<CallHost, 'receive'> | null = null;
  readonly #deps: Omit<IncomingDeps, 'host'>;
  readonly #callers: CallerAdmission;
  readonly #activeCalls: ActiveSipCalls;

  constructor(deps: Omit<IncomingDeps, 'host'>, activeCalls: ActiveSipCalls) {
    this.#deps = deps;
    this.#callers = new CallerAdmission(deps);
    this.#activeCalls = activeCalls;
  }

  /** Whether an INVITE from that address is considered at all. */
  admit(invite: UnansweredInvite): Admission | (() => Promise<Admission>) {
    if (!this.host) {
      this.#deps.meter.refused('draining');
      return NOT_TAKING;
    }
    if (this.#deps.registrations.of(invite) !== null) return ADMITTED;
    const decision = this.#callers.admit(invite);
    if (typeof decision !== 'function') return this.#counted(decision);
    return async () => this.#counted(await decision());
  }

  accept(invite: IncomingInvite): void {
    if (!this.host) {
      this.#deps.meter.refused('draining');
      invite.reject(503, 'Service Unavailable', RETRY_AFTER_S);
      return;
    }
    this.#activeCalls.add(handleInvite({ ...this.#deps, host: this.host }, invite));
  }

  #counted(admission: Admission): Admission {
    if (admission.kind === 'refused') this.#deps.meter.refused('refused');
    return admission;
  }
}
