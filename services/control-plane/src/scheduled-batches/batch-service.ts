import type { BodyOf } from '@calls/api-contract/operations/operation';
import type { createScheduledBatch } from '@calls/api-contract/operations/scheduled-batches.operations';
import type { PatchedScheduledCallBatch } from '@calls/api-contract/rest/scheduled-batch';
import { openTemplate } from '@calls/call-lifecycle/creation/stored-secrets';
import { urlRefusal, type UrlGuard } from '@calls/call-lifecycle/creation/url-rules';
import { findThrottle } from '@calls/call-lifecycle/creation/validate-call-request';
import type { Clock } from '@calls/foundation/clock';
import { newId, newSigningSecret } from '@calls/foundation/ids';
import type { Issue } from '@calls/foundation/schema/validator';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { webhookSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import type { Database } from '@calls/store/store';
import type { AgentRow } from '@calls/store/tables/agents';
import {
  insertBatch,
  lockBatch,
  updateBatch,
  type BatchKey,
  type BatchSettings,
  type ScheduledBatchRow,
} from '@calls/store/tables/scheduled-batches';
import type { ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import { HttpProblem, invalidRequest } from '../problems/problem.ts';
import { prepareCalls } from './prepare-calls.ts';

/** A stored batch, and the secret generated for its webhook. */
export interface WrittenBatch {
  row: ScheduledBatchRow;
  madeSecret: string | null;
}

export interface BatchServiceDeps {
  db: Database;
  clock: Clock;
  secretBox: SecretBox;
  outbound: UrlGuard;
  checksOf: ChecksOf;
}

const unset: BatchSettings = {
  windowStart: null,
  windowEnd: null,
  throttle: null,
  webhookUrl: null,
  webhookSecret: null,
  paused: false,
};

/** Writes scheduled batches. Its input fits the schema and the window rules. Throws an HttpProblem for other errors. */
export class BatchService {
  readonly #deps: BatchServiceDeps;

  constructor(deps: BatchServiceDeps) {
    this.#deps = deps;
  }

  async create(
    accountId: string,
    agent: AgentRow,
    given: BodyOf<typeof createScheduledBatch>,
    idempotency: { id: string; requestDigest: string } | null,
  ): Promise<ScheduledBatchRow> {
    const { db, clock, secretBox } = this.#deps;
    const { change, issues } = await this.#resolve(accountId, given);
    const template = openTemplate(secretBox, accountId, agent.template ?? {});
    const checks = this.#deps.checksOf(accountId);
    const calls = await prepareCalls(given.calls, { template, checks, secretBox, accountId });
    issues.push(...calls.issues);
    if (issues.length > 0) throw invalidRequest('request body', issues);
    const { settings } = this.#complete(accountId, { ...unset, ...change });
    return insertBatch(db, {
      ...settings,
      batchId: idempotency?.id ?? newId(),
      requestDigest: idempotency?.requestDigest ?? null,
      accountId,
      agentId: agent.agent_id,
      createdAt: new Date(clock.wallMs()),
      calls: calls.stored,
    });
  }

  /** The stored batch for the response to the request that created it, or to a retry of it. */
  created(
    row: ScheduledBatchRow,
    { webhookUrl, webhookSecret }: BodyOf<typeof createScheduledBatch>,
  ): WrittenBatch {
    const sealed = webhookUrl != null && webhookSecret == null ? row.webhook_secret : null;
    const context = webhookSecretContext(row.account_id);
    return { row, madeSecret: sealed && this.#deps.secretBox.open(sealed, context) };
  }

  /** Undefined if there is no such batch. */
  async change(key: BatchKey, given: PatchedScheduledCallBatch): Promise<WrittenBatch | undefined> {
    const { change, issues } = await this.#resolve(key.accountId, given);
    return this.#deps.db.transaction().execute(async (tx) => {
      const row = await lockBatch(tx, key);
      if (!row) return undefined;
      const changed = { ...settingsOf(row), ...change };
      const { windowStart, windowEnd } = changed;
      // If both times are in the body, their order was already checked.
      if (windowStart && windowEnd) issues.push(...orderIssues(windowStart.getTime(), windowEnd.getTime()));
      if (issues.length > 0) throw invalidRequest('request body', issues);
      if (row.ended_at) {
        throw new HttpProblem(409, 'batch_ended', 'The batch has ended and cannot be changed.');
      }
      const { settings, madeSecret } = this.#complete(key.accountId, changed);
      return { row: await updateBatch(tx, key.batchId, settings), madeSecret };
    });
  }

  /** Converts the request to the stored form. */
  async #resolve(
    accountId: string,
    given: PatchedScheduledCallBatch,
  ): Promise<{ change: Partial<BatchSettings>; issues: Issue[] }> {
    const { db, outbound, secretBox } = this.#deps;
    const { windowStart, windowEnd, throttle, webhookUrl, webhookSecret, paused } = given;
    const issues: Issue[] = [];
    const found = await findThrottle(db, accountId, throttle ?? undefined);
    if (found === undefined) {
      issues.push({ path: 'throttle', message: 'must be the id or the name of a call throttle' });
    }
    const refusal = webhookUrl == null ? null : urlRefusal(outbound, webhookUrl);
    if (refusal !== null) issues.push({ path: 'webhookUrl', message: refusal });
    const change: Partial<BatchSettings> = {
      ...(windowStart !== undefined && { windowStart: dateOf(windowStart) }),
      ...(windowEnd !== undefined && { windowEnd: dateOf(windowEnd) }),
      ...(throttle !== undefined && {
        throttle: throttle !== null && found ? { given: throttle, throttleId: found.throttle_id } : null,
      }),
      ...(webhookUrl !== undefined && { webhookUrl }),
      ...(webhookSecret !== undefined && {
        webhookSecret: webhookSecret && secretBox.seal(webhookSecret, webhookSecretContext(accountId)),
      }),
      ...(paused !== undefined && { paused }),
    };
    return { change, issues };
  }

  /** Adds a secret if there is a webhook, so that its requests are always signed. */
  #complete(
    accountId: string,
    settings: BatchSettings,
  ): { settings: BatchSettings; madeSecret: string | null } {
    if (settings.webhookUrl === null || settings.webhookSecret !== null)
      return { settings, madeSecret: null };
    const madeSecret = newSigningSecret();
    const webhookSecret = this.#deps.secretBox.seal(madeSecret, webhookSecretContext(accountId));
    return { settings: { ...settings, webhookSecret }, madeSecret };
  }
}

function settingsOf(row: ScheduledBatchRow): BatchSettings {
  const { throttle, throttle_id: throttleId } = row;
  return {
    windowStart: row.window_start,
    windowEnd: row.window_end,
    throttle: throttle !== null && throttleId !== null ? { given: throttle, throttleId } : null,
    webhookUrl: row.webhook_url,
    webhookSecret: row.webhook_secret,
    paused: row.paused,
  };
}

function dateOf(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}

/** Accepts a body of any shape and ignores what the schema rejects. */
export function windowIssues(body: unknown, wallMs: number): Issue[] {
  if (typeof body !== 'object' || body === null) return [];
  const { windowStart, windowEnd }: { windowStart?: unknown; windowEnd?: unknown } = body;
  const endMs = msOf(windowEnd);
  return [
    ...(endMs <= wallMs ? [{ path: 'windowEnd', message: 'must be in the future' }] : []),
    ...orderIssues(msOf(windowStart), endMs),
  ];
}

/** A NaN time counts as absent. */
function orderIssues(startMs: number, endMs: number): Issue[] {
  return startMs >= endMs ? [{ path: 'windowEnd', message: 'must be after windowStart' }] : [];
}

function msOf(time: unknown): number {
  return typeof time === 'string' ? Date.parse(time) : NaN;
}
