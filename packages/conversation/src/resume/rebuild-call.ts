import type { CallLogEntry } from '@calls/api-contract/bus/call-log-entry';
import type { CallSpec, StageSpec } from '@calls/api-contract/call-spec';
import type { StageResolver } from '../ports/tools.ts';
import type { CallSnapshot } from '../session/call-snapshot.ts';
import { foldCallLog } from './fold-call-log.ts';

/**
 * Rebuilds the state of a joined call from its log, for a session that continues the call. Requests the current
 * stage unless it is the first; rejects if the request times out.
 */
export async function rebuildCall(
  spec: CallSpec,
  log: readonly CallLogEntry[],
  stages: StageResolver,
  signal: AbortSignal,
): Promise<CallSnapshot> {
  const joined = log.find(({ body }) => body.type === 'joined');
  if (!joined) throw new Error('the call log has no joined entry');
  const events = log.map(({ body }) => body);
  const { stageId, state, ...folded } = foldCallLog(spec, events, joined.wallClockMs);
  const stage = stageId === spec.firstStage.stageId ? spec.firstStage : await stored(stageId);
  return { ...folded, stage, state: state ?? stage.initialState };

  function stored(id: string): Promise<StageSpec> {
    const { accountId, callId, firstStage } = spec;
    const request = {
      accountId,
      callId,
      // The stage exists already, so the request returns it, and these values are not used.
      currentStageId: firstStage.stageId,
      stageId: id,
      body: {},
      carriedMessages: folded.messages.length,
    };
    return stages.resolve(request, signal);
  }
}
