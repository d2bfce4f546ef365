import type {
  AgentCallCreator,
  CreateAgentCallRequest,
} from '@calls/call-lifecycle/creation/agent-call-creator';
import { CallRefusal } from '@calls/call-lifecycle/creation/refusal';
import { openScheduledCall } from '@calls/call-lifecycle/creation/stored-secrets';
import { AppError, toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { isStoreUnavailable } from '@calls/store/store-error';
import { termsOf } from '@calls/store/tables/account-terms';
import {
  endScheduledCall,
  type ClaimedBatch,
  type ScheduledCallEnd,
} from '@calls/store/tables/scheduled-batch-runs';
import type { ScheduledCallRow } from '@calls/store/tables/scheduled-batches';
import { scheduleBatchEnded } from './batch-ended.ts';

export interface ScheduledCallDeps {
  db: Database;
  secretBox: SecretBox;
  agentCalls: Pick<AgentCallCreator, 'create'>;
  log: Logger;
}

/** `done`: the call was created or failed permanently. `lost`: another run holds the batch now. */
export type Progress = { kind: 'done' } | { kind: 'lost' } | { kind: 'later'; delayMs: number };

/** Retry delay after an error that does not say when to retry. */
const RETRY_MS = 2000;
const MAX_SHOWN_ISSUES = 5;

/** Rolls back the work of a run that lost its batch. */
class LostBatch extends Error {}

/** Creates the call and records it in one transaction, at most once even if several processes try or one crashes. */
export async function createScheduledCall(
  deps: ScheduledCallDeps,
  batch: ClaimedBatch,
  call: ScheduledCallRow,
): Promise<Progress> {
  const { db } = deps;
  const end = async (tx: Database, how: ScheduledCallEnd): Promise<void> => {
    const key = { batchId: batch.batch_id, callIndex: call.call_index };
    const counted = await endScheduledCall(tx, key, how);
    if (!counted) throw new LostBatch();
    await scheduleBatchEnded({ tx, secretBox: deps.secretBox }, counted);
  };
  const create = async (): Promise<Progress> => {
    try {
      const order = orderOf(deps.secretBox, batch, call);
      const created = await deps.agentCalls.create({
        ...order,
        inTransaction: (tx, callId) => end(tx, { state: 'created', callId }),
      });
      if (created) return { kind: 'done' };
      return await fail('The agent was deleted.');
    } catch (thrown) {
      if (thrown instanceof LostBatch) throw thrown;
      if (isPassing(thrown)) return { kind: 'later', delayMs: delayOf(deps.log, batch, thrown) };
      return fail(reasonOf(deps.log, batch, thrown));
    }
  };
  const fail = async (error: string): Promise<Progress> => {
    await db.transaction().execute((tx) => end(tx, { state: 'failed', error }));
    return { kind: 'done' };
  };
  try {
    return await create();
  } catch (thrown) {
    if (thrown instanceof LostBatch) return { kind: 'lost' };
    throw thrown;
  }
}

function orderOf(
  secretBox: SecretBox,
  batch: ClaimedBatch,
  { request }: ScheduledCallRow,
): Omit<CreateAgentCallRequest, 'inTransaction'> {
  const { account_id: accountId } = batch;
  const { medium, metadata, templateContext, experimentalSettings } = openScheduledCall(
    secretBox,
    accountId,
    request,
  );
  return {
    account: { accountId, ...termsOf(batch) },
    agentId: batch.agent_id,
    throttle: batch.throttle_id ?? undefined,
    scheduledBatchId: batch.batch_id,
    body: {
      ...(medium && { medium }),
      ...(metadata && { metadata }),
      ...(templateContext && { templateContext }),
      ...(experimentalSettings && { experimentalSettings }),
    },
  };
}

/** Whether a retry may succeed. */
function isPassing(thrown: unknown): boolean {
  return isStoreUnavailable(thrown) || (thrown instanceof AppError && thrown.retryable);
}

function delayOf(log: Logger, batch: ClaimedBatch, thrown: unknown): number {
  if (thrown instanceof CallRefusal && thrown.kind === 'limited') return thrown.retryAfterMs ?? RETRY_MS;
  log.warn({ batchId: batch.batch_id, err: toError(thrown) }, 'scheduled call postponed');
  return RETRY_MS;
}

/** The failure reason shown to the batch's owner. */
function reasonOf(log: Logger, batch: ClaimedBatch, thrown: unknown): string {
  if (thrown instanceof CallRefusal) {
    const issues = thrown.issues.slice(0, MAX_SHOWN_ISSUES).map(({ path, message }) => `${path}: ${message}`);
    const more = thrown.issues.length - issues.length;
    return issues.length === 0
      ? thrown.message
      : `${issues.join('; ')}${more > 0 ? ` (and ${more} more)` : ''}.`;
  }
  log.error({ batchId: batch.batch_id, err: toError(thrown) }, 'scheduled call failed unexpectedly');
  return 'An internal error occurred.';
}
