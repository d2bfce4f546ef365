import type { CallAnalysis } from '@calls/api-contract/rest/call-analysis';
import { newId } from '@calls/foundation/ids';
import { sql } from 'kysely';
import { asJson } from '../as-json.ts';
import type { Database } from '../store.ts';
import type { CallRow } from './calls.ts';

/** Texts that are longer cannot be searched for. */
const MAX_LABEL_CHARACTERS = 256;
const MAX_DATA_LABELS = 100;

/** Names of labels, by which calls are found. */
export const analysisLabel = {
  outcome: 'outcome',
  criterion: (name: string): string => `criterion ${name}`,
  data: (field: string): string => `data ${field}`,
};

/** The labels of an analysis: its outcomes, and the texts, numbers and booleans at the top level of its data. */
export function analysisLabels({ outcome, criteria, data = {} }: CallAnalysis): Record<string, string> {
  const fields = Object.entries(data)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([field, value]): [string, string] => [field, String(value)])
    .filter(([field, text]) => Math.max(field.length, text.length) <= MAX_LABEL_CHARACTERS)
    .slice(0, MAX_DATA_LABELS);
  return Object.fromEntries([
    ...(outcome === null ? [] : [[analysisLabel.outcome, outcome]]),
    ...criteria.map((each) => [analysisLabel.criterion(each.name), each.outcome]),
    ...fields.map(([field, text]) => [analysisLabel.data(field), text]),
  ]) as Record<string, string>;
}

/**
 * Requests the analysis of an ended call, to begin after `delayMs`. Returns its pending state; null if one is pending
 * already. Runs in the caller's transaction.
 */
export async function requestAnalysis(
  tx: Database,
  call: Pick<CallRow, 'call_id' | 'account_id'> & { model: string },
  { requestedAt, delayMs }: { requestedAt: Date; delayMs: number },
): Promise<CallAnalysis | null> {
  const { call_id: callId, account_id: accountId, model } = call;
  const inserted = await tx
    .insertInto('call_analysis_requests')
    .values({
      call_id: callId,
      run_id: newId(),
      account_id: accountId,
      due_at: sql<Date>`now() + make_interval(secs => ${delayMs / 1000}::float8)`,
    })
    .onConflict((conflict) => conflict.column('call_id').doNothing())
    .returning('run_id')
    .executeTakeFirst();
  if (!inserted) return null;
  const pending: CallAnalysis = {
    status: 'pending',
    requested: requestedAt.toISOString(),
    completed: null,
    model,
    outcome: null,
    criteria: [],
    failureReason: null,
  };
  await setAnalysis(tx, callId, pending);
  return pending;
}

/** Requested analyses of an account that are not completed. */
export async function countPendingAnalyses(db: Database, accountId: string): Promise<number> {
  const { pending } = await db
    .selectFrom('call_analysis_requests')
    .select(sql<number>`count(*)`.as('pending'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return pending;
}

export interface AnalysisRun {
  callId: string;
  /** Id of the request. */
  runId: string;
}

/** Claims due requests for `claimMs`, oldest first. They become due again unless their analysis is completed. */
export async function claimAnalysisRequests(
  db: Database,
  { claimMs, limit }: { claimMs: number; limit: number },
): Promise<AnalysisRun[]> {
  return db
    .updateTable('call_analysis_requests')
    .set({ due_at: sql<Date>`now() + make_interval(secs => ${claimMs / 1000}::float8)` })
    .where('call_id', 'in', (eb) =>
      eb
        .selectFrom('call_analysis_requests')
        .select('call_id')
        .where('due_at', '<=', sql<Date>`now()`)
        .orderBy('due_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['call_id as callId', 'run_id as runId'])
    .execute();
}

/** Whether the request is not completed. */
export async function isAnalysisPending(db: Database, { callId, runId }: AnalysisRun): Promise<boolean> {
  const row = await db
    .selectFrom('call_analysis_requests')
    .select('run_id')
    .where('call_id', '=', callId)
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Stores the result of a request. False if it was completed before. Runs in the caller's transaction. */
export async function completeAnalysis(
  tx: Database,
  { callId, runId }: AnalysisRun,
  analysis: CallAnalysis,
): Promise<boolean> {
  const pending = await tx
    .deleteFrom('call_analysis_requests')
    .where('call_id', '=', callId)
    .where('run_id', '=', runId)
    .returning('run_id')
    .executeTakeFirst();
  if (pending) await setAnalysis(tx, callId, analysis);
  return pending !== undefined;
}

async function setAnalysis(tx: Database, callId: string, analysis: CallAnalysis): Promise<void> {
  await tx
    .updateTable('calls')
    .set({ analysis: asJson(analysis), analysis_labels: asJson(analysisLabels(analysis)) })
    .where('call_id', '=', callId)
    .execute();
}
