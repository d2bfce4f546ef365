import type { CallAnalysis } from '@calls/api-contract/rest/call-analysis';
import type { Clock } from '@calls/foundation/clock';
import type { Database } from '@calls/store/store';
import { countPendingAnalyses, requestAnalysis } from '@calls/store/tables/call-analyses';
import { findCall, type CallRow } from '@calls/store/tables/calls';
import { HttpProblem, orNotFound } from '../problems/problem.ts';

/** Maximum number of pending requests of an account. Analyses at the ends of calls do not count. */
const MAX_PENDING = 1000;

export interface AnalyzeCallDeps {
  db: Database;
  clock: Clock;
}

/** Requests an analysis of an ended call of the account. Throws if the call cannot be analyzed. */
export async function analyzeCall(
  { db, clock }: AnalyzeCallDeps,
  { accountId, callId }: { accountId: string; callId: string },
): Promise<CallAnalysis> {
  const call = orNotFound('call', await findCall(db, accountId, callId));
  const obstacle = obstacleOf(call);
  if (obstacle !== null) throw new HttpProblem(422, 'not_analyzable', obstacle);
  if ((await countPendingAnalyses(db, accountId)) >= MAX_PENDING) {
    throw new HttpProblem(
      409,
      'too_many_analyses',
      `The account already has ${MAX_PENDING} pending analyses; try again later.`,
    );
  }
  const { model } = call.settings;
  const requested = { requestedAt: new Date(clock.wallMs()), delayMs: 0 };
  const pending = await db.transaction().execute((tx) => requestAnalysis(tx, { ...call, model }, requested));
  if (pending) return pending;
  throw new HttpProblem(409, 'analysis_pending', 'An analysis of the call is pending already.');
}

function obstacleOf(call: CallRow): string | null {
  if (!call.ended_at) return 'The call has not ended.';
  if (!call.joined_at) return 'The call was never joined, so it has no conversation.';
  if (call.retention_policy !== 'retain') return 'The messages of the call are not retained.';
  return call.settings.analysisSettings ? null : 'The call has no analysisSettings.';
}
