import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { CallNotices } from '../notifications/call-notices.ts';
import type { Clock } from '@calls/foundation/clock';
import type { LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import type { RateLimits } from '@calls/redis/rate-limits/rate-limits';
import type { CallRow } from '@calls/store/tables/calls';
import type { Listener } from '@calls/store/tables/webhook-deliveries';
import { inSpan, type Span, type Tracing } from '@calls/telemetry/tracing/span';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import type { CallAgent, CallOrder } from './call-order.ts';
import { checkOrder, type CheckedOrder } from './check-order.ts';
import type { CheckParts } from './check-references.ts';
import { takeCreationPlaces } from './creation-places.ts';
import { assertFeatures } from './features.ts';
import { offeredMedium } from './offered-medium.ts';
import { CallRefusal } from './refusal.ts';
import { resolveSettings } from './resolve-settings.ts';
import { storeCall, type StoredCall } from './store-call.ts';

/** What publishes the message about a call that was stored. */
export interface CallPublisher {
  /** While it can't, nobody could join a new call, and none is created. */
  readonly ready: boolean;
  /** How long the outbox relay leaves a new row to `publish`. */
  readonly relayDelayMs: number;
  /** Doesn't reject: what can't be published now the relay publishes later. */
  publish(message: CreatedCall, outboxId: string): Promise<void>;
}

export interface CallCreatorParts extends CheckParts {
  clock: Clock;
  publisher: CallPublisher;
  /** Why no media worker has WebRTC; null where one has. */
  webRtcFault: () => Promise<string | null>;
  rateLimits: RateLimits;
  planLimits: LimitsByPlan;
  notices: CallNotices;
  tracing: Tracing;
}

/**
 * Checks an order, takes its places in the account's limits, stores the call with the message about it, publishes the
 * message, or hands it to the worker whose INVITE it answers. A call that was stored is never lost; one that wasn't has taken nothing. Why a call can't be created is thrown
 * as a CallRefusal, in this order: faults (all at once), features, what is not offered, rates, caps.
 */
export class CallCreator {
  readonly #parts: CallCreatorParts;

  constructor(parts: CallCreatorParts) {
    this.#parts = parts;
  }

  checksOf(accountId: string): UntrustedChecks {
    return this.#parts.checksOf(accountId);
  }

  /** Throws for an order that breaks a rule or asks for what the account may not have; takes and writes nothing. */
  async check(order: CallOrder): Promise<CheckedOrder> {
    const checked = await checkOrder(this.#parts, order);
    assertFeatures(order.account, this.#parts.planLimits[order.account.plan], checked.request);
    return checked;
  }

  create(order: CallOrder): Promise<CallRow> {
    const attributes = { 'account.id': order.account.accountId };
    return inSpan(this.#parts.tracing, 'create call', { attributes }, (span) => this.#create(order, span));
  }

  async #create(order: CallOrder, span: Span): Promise<CallRow> {
    const { planLimits, publisher, rateLimits } = this.#parts;
    const { account } = order;
    const limits = planLimits[account.plan];
    const checked = await this.check(order);
    const settings = resolveSettings(checked.request);
    const medium = await offeredMedium(settings.medium, this.#parts.webRtcFault, order.invite !== undefined);
    if (!publisher.ready) {
      throw new CallRefusal('unavailable', 'unavailable', 'Calls cannot be served at the moment.');
    }

    const { throttle } = checked;
    const agent = agentOf(checked.prior, order);
    const listening = this.#listenersTo(account.accountId, agent);
    const places = await takeCreationPlaces(rateLimits, account.accountId, limits, throttle);
    let stored: StoredCall;
    try {
      stored = await storeCall(this.#parts, {
        order,
        checked,
        agent,
        settings,
        medium,
        limits,
        listeners: await listening,
        createdAtMs: this.#parts.clock.wallMs(),
        outboxDelayMs: publisher.relayDelayMs,
      });
    } catch (thrown) {
      await places.release();
      throw thrown;
    }
    span.set({ 'call.id': stored.row.call_id, 'call.admission_class': stored.message.admissionClass });
    if (stored.outboxId === null) order.invite?.handOver(stored.message);
    else await publisher.publish(stored.message, stored.outboxId);
    return stored.row;
  }

  /** Asked while the places are taken: they cost the creation no time. */
  #listenersTo(accountId: string, agent: CallAgent | null): Promise<Listener[]> {
    const { db, notices } = this.#parts;
    const listeners = notices.listenersToStart(db, accountId, agent?.agentId ?? null);
    // Where there are no places nobody awaits it.
    listeners.catch(() => undefined);
    return listeners;
  }
}

function agentOf(prior: CallRow | null, order: CallOrder): CallAgent | null {
  if (order.agent) return order.agent;
  if (!prior?.agent_id) return null;
  return { agentId: prior.agent_id, revisionId: prior.agent_revision_id, name: prior.agent_name ?? '' };
}
