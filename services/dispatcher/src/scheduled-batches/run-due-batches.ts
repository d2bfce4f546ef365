import { toError } from '@calls/foundation/errors';
import {
  expireScheduledCalls,
  claimDueBatch,
  releaseBatch,
  waitingCalls,
  type ClaimedBatch,
} from '@calls/store/tables/scheduled-batch-runs';
import { scheduleBatchEnded } from './batch-ended.ts';
import { createScheduledCall, type ScheduledCallDeps } from './create-scheduled-call.ts';

export interface BatchRunDeps extends ScheduledCallDeps {
  /**
   * Whether all processes share the limits. If not, no calls are created, because throttles apply across all processes.
   */
  limitsAreShared: () => boolean;
}

/**
 * How long a turn holds its batch: far longer than a turn takes. If the process crashes, the batch becomes available
 * after this time.
 */
const CLAIM_MS = 30_000;
/** Retry delay after an error. */
const RETRY_MS = 2000;
/** After this many calls the batch goes to the end of the queue. */
const CALLS_PER_TURN = 20;

/**
 * Gives every due batch its turns, up to `lanes` at a time, the longest waiting first, until none is due. A lane that
 * finds a batch starts another lane, so that one query suffices if none is due. Several processes may run this at the
 * same time.
 */
export async function runDueBatches(deps: BatchRunDeps, lanes: number, signal: AbortSignal): Promise<void> {
  const started: Promise<void>[] = [];
  const errors: unknown[] = [];
  const startLane = (): void => {
    if (started.length < lanes) started.push(lane().catch((thrown: unknown) => void errors.push(thrown)));
  };
  const lane = async (): Promise<void> => {
    while (!signal.aborted && deps.limitsAreShared()) {
      const batch = await claimDueBatch(deps.db, CLAIM_MS);
      if (!batch) return;
      startLane();
      try {
        await runBatch(deps, batch, signal);
      } catch (thrown) {
        deps.log.warn({ batchId: batch.batch_id, err: toError(thrown) }, 'scheduled batch postponed');
        await releaseBatch(deps.db, batch, RETRY_MS);
      }
    }
  };
  startLane();
  // Lanes append others while this waits.
  for (const each of started) await each;
  if (errors.length > 0) throw errors[0];
}

/** Runs one turn of a batch. */
async function runBatch(deps: BatchRunDeps, batch: ClaimedBatch, signal: AbortSignal): Promise<void> {
  const { db } = deps;
  const expired = await db.transaction().execute(async (tx) => {
    const ended = await expireScheduledCalls(tx, batch.batch_id);
    if (ended) await scheduleBatchEnded({ tx, secretBox: deps.secretBox }, ended);
    return ended !== undefined;
  });
  if (expired) return;
  for (const call of await waitingCalls(db, batch.batch_id, CALLS_PER_TURN)) {
    if (signal.aborted || !deps.limitsAreShared()) break;
    const progress = await createScheduledCall(deps, batch, call);
    if (progress.kind === 'lost') return;
    if (progress.kind === 'later') {
      await releaseBatch(db, batch, progress.delayMs);
      return;
    }
  }
  await releaseBatch(db, batch, 0);
}
