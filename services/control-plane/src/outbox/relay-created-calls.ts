import { createdCallValidator, type CreatedCall } from '@calls/api-contract/bus/created-call';
import type { Bus } from '@calls/bus/bus';
import type { CallSeal } from '@calls/bus/call-seal';
import { openMessage } from '@calls/call-lifecycle/creation/secrets';
import { AppError, toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { parseTraceparent, runInTrace } from '@calls/foundation/trace-context';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { claimOutbox, deleteOutbox, type OutboxEntry } from '@calls/store/tables/outbox';

const CLAIM_MS = 10_000;
const BATCH = 100;
/** Longer than the maximum join timeout. */
const MAX_AGE_MS = 3_600_000;

/** Publishes created calls that were not published because the bus was unavailable or the process crashed. */
export async function relayCreatedCalls(deps: {
  db: Database;
  bus: Pick<Bus, 'connection' | 'createdCalls'>;
  secretBox: SecretBox;
  callSeal: CallSeal;
  log: Logger;
}): Promise<void> {
  const { db, bus, secretBox, callSeal, log } = deps;
  if (!bus.connection.connected) return;
  for (;;) {
    const entries = await claimOutbox(db, { topic: 'created_call', claimMs: CLAIM_MS, limit: BATCH });
    for (const entry of entries) {
      if (await publish(entry)) await deleteOutbox(db, [entry.outboxId]);
    }
    if (entries.length < BATCH) return;
  }

  /** Returns true if the row is finished. */
  async function publish(entry: OutboxEntry): Promise<boolean> {
    const issues = createdCallValidator.issues(entry.payload);
    if (issues.length > 0 || entry.ageMs > MAX_AGE_MS) {
      log.error(
        { outboxId: entry.outboxId, issues, ageMs: entry.ageMs },
        'created call expired before publication; dropped',
      );
      return true;
    }
    const call = createdCallValidator.parse(entry.payload);
    return runInTrace(parseTraceparent(call.trace), () => send(call, entry.attempts), call.spec.callId);
  }

  async function send(call: CreatedCall, attempts: number): Promise<boolean> {
    const { callId } = call.spec;
    try {
      await bus.createdCalls.publish(callSeal.seal(openMessage(secretBox, call)), callId);
      log.info({ callId, attempts }, 'created call published by the outbox relay');
      return true;
    } catch (thrown) {
      const err = toError(thrown);
      if (thrown instanceof AppError && thrown.retryable) throw err;
      log.error({ callId, err }, 'created call cannot be published; dropped');
      return true;
    }
  }
}
