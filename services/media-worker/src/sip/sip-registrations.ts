import {
  MAX_REGISTRATIONS,
  SIP_REGISTRATIONS_REQUEST,
  type AssignedRegistration,
  type HeldRegistration,
  type SipRegistrationsReplyMessage,
  type SipRegistrationsRequestMessage,
} from '@calls/api-contract/bus/sip-registrations';
import { NoRespondersError } from '@calls/bus/bus-error';
import type { Seal } from '@calls/bus/call-seal';
import type { ControlPlaneRequests } from '@calls/bus/request-reply';
import type { Clock, Timer } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { isUuid } from '@calls/foundation/schema/objects';
import type { Logger } from '@calls/foundation/logger';
import type { IncomingInvite, Registration, RegistrationOutcome } from '@calls/sip/calls';
import type { SipEndpoint } from '@calls/sip/endpoint-options';
import { hostOf, userOf } from './sip-address.ts';

const RENEWAL_INTERVAL_MS = 2000;
const REPLY_LIMIT_MS = 8000;
const MAX_ERROR = 200;

export interface SipRegistrationsOptions {
  workerId: string;
  register: SipEndpoint['register'];
  requests: Pick<ControlPlaneRequests, 'send'>;
  seal: Seal<AssignedRegistration>;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
}

interface Held {
  settings: AssignedRegistration;
  registration: Registration;
  outcome: HeldRegistration['outcome'];
}

/**
 * The registrations that this worker keeps alive. Control-planes lease each to one worker at a time. A worker that cannot
 * renew its leases in time sends nothing more, because another worker may register instead.
 */
export class SipRegistrations implements AsyncDisposable {
  readonly #options: SipRegistrationsOptions;
  /** Keyed by id. */
  readonly #held = new Map<string, Held>();
  /** Unregistrations under way. */
  readonly #stopping = new Set<Promise<void>>();
  #phase: 'idle' | 'active' | 'released' = 'idle';
  #released: Promise<void> | null = null;
  #nextRenewal: Timer | null = null;
  #leaseEnd: Timer | null = null;

  constructor(options: SipRegistrationsOptions) {
    this.#options = options;
  }

  /** The number of registrations by the result of their last attempt. */
  count(): { registered: number; failed: number; pending: number } {
    const counts = { registered: 0, failed: 0, pending: 0 };
    for (const { outcome } of this.#held.values()) {
      if (outcome === null) counts.pending += 1;
      else counts[outcome.successful ? 'registered' : 'failed'] += 1;
    }
    return counts;
  }

  /** Takes registrations from now on. */
  start(): void {
    if (this.#phase !== 'idle') return;
    this.#phase = 'active';
    void this.#keepRenewing();
  }

  /** Leaves the registrations to other workers. Bindings remain until disposal, unless a successor replaces them. */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  /**
   * The registration that an INVITE comes through: its registrar called its Contact, or a number at the address of its
   * Contact. Null if there is none, or if it may be that of several accounts.
   */
  of({ requestUri, to, source }: Pick<IncomingInvite, 'requestUri' | 'to' | 'source'>): string | null {
    const user = userOf(requestUri);
    const called = this.#held
      .values()
      .find((each) => each.settings.contactUser === user && each.registration.isRegistrar(source.address));
    if (called) return called.settings.registrationId;
    if (isAccountDomain(hostOf(requestUri) ?? '') || isAccountDomain(to.host)) return null;
    const possible = [...this.#held.values()].filter(
      ({ registration }) => registration.acceptedBy === source.address,
    );
    const numbers = new Set([withoutPlus(user ?? ''), withoutPlus(to.user)]);
    const named = possible.filter(({ settings }) => numbers.has(withoutPlus(settings.username)));
    const [first, ...others] = (named.length > 0 ? named : possible).map(({ settings }) => settings);
    return first && others.every(({ accountId }) => accountId === first.accountId)
      ? first.registrationId
      : null;
  }

  /** Removes all bindings of this worker. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
    for (const id of [...this.#held.keys()]) this.#drop(id, 'unregister');
    await Promise.all(this.#stopping);
  }

  async #release(): Promise<void> {
    const wasActive = this.#phase === 'active';
    this.#phase = 'released';
    this.#nextRenewal?.cancel();
    this.#leaseEnd?.cancel();
    if (!wasActive) return;
    const { workerId } = this.#options;
    try {
      await this.#send({ workerId, room: 0, held: [] });
    } catch (thrown) {
      this.#options.log.warn({ err: toError(thrown) }, 'failed to release SIP registrations');
    }
  }

  async #keepRenewing(): Promise<void> {
    try {
      await this.#renew();
    } catch (thrown) {
      // Control-planes of the previous release do not lease registrations.
      if (!(thrown instanceof NoRespondersError)) {
        this.#options.log.warn({ err: toError(thrown) }, 'failed to renew leases of SIP registrations');
      }
    }
    if (this.#phase !== 'active') return;
    this.#nextRenewal = this.#options.clock.setTimer(RENEWAL_INTERVAL_MS, () => void this.#keepRenewing());
  }

  async #renew(): Promise<void> {
    const { workerId, clock } = this.#options;
    const sentMs = clock.nowMs();
    const held = [...this.#held.values()].map(({ settings, outcome }) => {
      const { registrationId, version, epoch } = settings;
      return { registrationId, version, epoch, outcome };
    });
    const room = MAX_REGISTRATIONS - held.length;
    const reply = await this.#send({ workerId, room, held });
    if (this.#phase !== 'active') return;
    this.#leaseEnd?.cancel();
    this.#leaseEnd = clock.setTimer(sentMs + reply.leaseMs - clock.nowMs(), () => this.#loseAll());
    this.#apply(reply);
  }

  #send(request: SipRegistrationsRequestMessage): Promise<SipRegistrationsReplyMessage> {
    const { requests } = this.#options;
    return requests.send(SIP_REGISTRATIONS_REQUEST, request, AbortSignal.timeout(REPLY_LIMIT_MS));
  }

  #apply({ held, assigned }: SipRegistrationsReplyMessage): void {
    const own = new Set([...held, ...assigned.map(({ registrationId }) => registrationId)]);
    for (const id of [...this.#held.keys()]) if (!own.has(id)) this.#drop(id, 'unregister');
    for (const sealed of assigned) {
      const settings = this.#options.seal.open(sealed);
      const { registrationId } = settings;
      const before = this.#held.get(registrationId)?.settings;
      if (before) this.#drop(registrationId, isSameBinding(before, settings) ? 'abandon' : 'unregister');
      this.#held.set(registrationId, this.#begun(settings));
    }
  }

  #begun(settings: AssignedRegistration): Held {
    const { username, authUser, password, proxy, outboundProxy, contactUser, accountId } = settings;
    const registration = this.#options.register({
      user: username,
      registrar: proxy,
      outboundProxy,
      credentials: { username: authUser ?? username, password },
      contactUser,
      owner: accountId,
      onOutcome: (outcome) => this.#note(held, outcome),
    });
    const held: Held = { settings, registration, outcome: null };
    return held;
  }

  #note(held: Held, outcome: RegistrationOutcome): void {
    const { clock, log } = this.#options;
    const { registrationId, accountId } = held.settings;
    const before = held.outcome;
    held.outcome = outcome.successful
      ? { successful: true, error: null, expiresAtMs: Math.round(clock.wallMs() + outcome.expiresS * 1000) }
      : { successful: false, error: outcome.error.slice(0, MAX_ERROR), expiresAtMs: null };
    if (before?.successful === outcome.successful) return;
    if (outcome.successful) log.info({ registrationId, accountId }, 'SIP registration succeeded');
    else log.warn({ registrationId, accountId, error: held.outcome.error }, 'SIP registration failed');
  }

  #drop(id: string, how: 'unregister' | 'abandon'): void {
    const held = this.#held.get(id);
    if (!held) return;
    this.#held.delete(id);
    if (how === 'abandon') {
      held.registration.abandon();
      return;
    }
    const stopping = held.registration.stop().finally(() => this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
  }

  #loseAll(): void {
    if (this.#held.size > 0)
      this.#options.log.warn({ count: this.#held.size }, 'leases of SIP registrations lost');
    for (const id of [...this.#held.keys()]) this.#drop(id, 'abandon');
  }
}

/** Whether new settings replace the binding of the old ones. */
function isSameBinding(a: AssignedRegistration, b: AssignedRegistration): boolean {
  return a.username === b.username && a.proxy === b.proxy && a.contactUser === b.contactUser;
}

/** Whether a host is `<account id>.<SIP domain>`. */
function isAccountDomain(host: string): boolean {
  return isUuid(host.split('.', 1)[0]?.toLowerCase() ?? '');
}

function withoutPlus(number: string): string {
  return number.replace(/^\+/u, '');
}
