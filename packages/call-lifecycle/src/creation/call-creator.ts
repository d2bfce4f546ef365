import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { CallTemplate } from '@calls/api-contract/rest/call-template';
import type { Clock } from '@calls/foundation/clock';
import { omit } from '@calls/foundation/omit';
import { limitsOf, type LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import type { RateLimits } from '@calls/redis/rate-limits/rate-limits';
import type { CallRow } from '@calls/store/tables/calls';
import type { CallThrottleRow } from '@calls/store/tables/call-throttles';
import { inSpan, type Span, type Tracing } from '@calls/telemetry/tracing/span';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import type { CallNotifications } from '../notifications/call-notifications.ts';
import type { ValidationDeps } from './check-references.ts';
import type { CallAgent, CreateCallRequest } from './create-call-request.ts';
import { acquireCreationPermits } from './creation-permits.ts';
import { assertFeatures, assertNotSuspended } from './features.ts';
import { offeredMedium } from './offered-medium.ts';
import { CallRefusal, invalidCall } from './refusal.ts';
import { resolveSettings } from './resolve-settings.ts';
import { createCallInserts, storeCall, type CallInserts, type StoredCall } from './store-call.ts';
import { isTemplated, templateIssues } from './templates/template-issues.ts';
import { validateCallRequest, type ValidatedCallRequest } from './validate-call-request.ts';

/** Publishes the message about a stored call. */
export interface CallPublisher {
  /** False while messages cannot be published; then no call is created, as no client could join it. */
  isReady(): Promise<boolean>;
  /** How long the outbox relay waits before it publishes a new row itself. */
  readonly relayDelayMs: number;
  /** Never rejects: the relay retries what cannot be published now. */
  publish(message: CreatedCall, outboxId: string): Promise<void>;
}

export interface CallCreatorDeps extends ValidationDeps {
  /** Whether media-workers make SIP calls over TLS. */
  hasSipTls: boolean;
  clock: Clock;
  publisher: CallPublisher;
  /** Why no media-worker offers WebRTC; null if one does. */
  webRtcIssue: () => Promise<string | null>;
  rateLimits: RateLimits;
  planLimits: LimitsByPlan;
  notifications: CallNotifications;
  tracing: Tracing;
}

/**
 * Validates a request, acquires permits of the account's rate limits, stores the call with the message about it, and publishes
 * the message or passes it to the worker that received the INVITE. A stored call is never lost; a call that is not stored uses no
 * permits. Throws a CallRefusal if the call cannot be created. The checks run in this order: issues (all at once), features, offered
 * mediums, rates, caps.
 */
export class CallCreator {
  readonly #deps: CallCreatorDeps & { inserts: CallInserts };

  constructor(deps: CallCreatorDeps) {
    this.#deps = { ...deps, inserts: createCallInserts(deps.db) };
  }

  checksOf(accountId: string): UntrustedChecks {
    return this.#deps.checksOf(accountId);
  }

  /** Throws if the request is invalid or needs a feature that the account does not have. Has no side effects. */
  async check(request: CreateCallRequest): Promise<ValidatedCallRequest> {
    const checked = await validateCallRequest(this.#deps, request);
    assertFeatures(request.account, limitsOf(this.#deps.planLimits, request.account), checked.body);
    return checked;
  }

  create(request: CreateCallRequest): Promise<CallRow> {
    const attributes = { 'account.id': request.account.accountId };
    return inSpan(this.#deps.tracing, 'create call', { attributes }, (span) => this.#create(request, span));
  }

  async #create(request: CreateCallRequest, span: Span): Promise<CallRow> {
    const { planLimits, publisher } = this.#deps;
    assertNotSuspended(request.account);
    const limits = limitsOf(planLimits, request.account);
    // A caller who waits for the answer to an INVITE waits less if the permits are acquired during the checks.
    const isEarly = request.invite !== undefined && request.throttle === undefined;
    let reserved = isEarly ? this.#reserve(request, null) : null;
    let stored: StoredCall;
    try {
      const [checked, isReady] = await Promise.all([this.check(request), publisher.isReady()]);
      const settings = resolveSettings(checked.body);
      const medium = await offeredMedium(
        settings.medium,
        this.#deps.webRtcIssue,
        request.invite !== undefined,
      );
      if (!isReady) {
        throw new CallRefusal('unavailable', 'unavailable', 'Calls cannot be served at the moment.');
      }
      reserved ??= this.#reserve(request, checked.throttle);
      await reserved.permits;
      stored = await storeCall(this.#deps, {
        request,
        checked,
        agent: agentOf(checked.prior, request),
        settings,
        medium,
        limits,
        createdAtMs: this.#deps.clock.wallMs(),
        outboxDelayMs: publisher.relayDelayMs,
      });
    } catch (thrown) {
      await reserved?.release();
      throw thrown;
    }
    span.set({ 'call.id': stored.row.call_id, 'call.admission_class': stored.message.admissionClass });
    if (stored.outboxId === null) request.invite?.handOver(stored.message);
    else await publisher.publish(stored.message, stored.outboxId);
    return stored.row;
  }

  #reserve({ account }: CreateCallRequest, throttle: CallThrottleRow | null): Reservation {
    const { rateLimits, planLimits } = this.#deps;
    const limits = limitsOf(planLimits, account);
    const permits = acquireCreationPermits(rateLimits, account.accountId, limits, throttle);
    const release = (): Promise<void> =>
      permits.then(
        (acquired) => acquired.release(),
        () => undefined,
      );
    // They are not awaited if the request is refused.
    permits.catch(() => undefined);
    return { permits, release };
  }
}

interface Reservation {
  /** Rejects if a limit is reached. */
  permits: Promise<unknown>;
  /** Returns the permits. Never rejects. */
  release(): Promise<void>;
}

function agentOf(prior: CallRow | null, request: CreateCallRequest): CallAgent | null {
  if (request.agent) return request.agent;
  if (!prior?.agent_id) return null;
  return { agentId: prior.agent_id, revisionId: prior.agent_revision_id, name: prior.agent_name ?? '' };
}

/**
 * Throws a CallRefusal if the account cannot create calls from the template: it has issues (with paths in the template) or needs a
 * feature that the account does not have. Rules that depend on the context are checked for each call.
 */
export async function validateTemplate(
  calls: CallCreator,
  account: CreateCallRequest['account'],
  template: CallTemplate,
): Promise<void> {
  const issues = await templateIssues(template, calls.checksOf(account.accountId));
  if (issues.length > 0) throw invalidCall(issues);
  const { languageHint = '' } = template;
  const omitted = isTemplated(languageHint) ? ['languageHint' as const] : [];
  const request = omit(template, 'name', 'contextSchema', ...omitted);
  await calls.check({ account, body: request, greetingPromptEnabled: true, isTemplate: true });
}
