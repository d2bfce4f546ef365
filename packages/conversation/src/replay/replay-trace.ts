import { isDeepStrictEqual } from 'node:util';
import { toError } from '@calls/foundation';
import { stepTurn } from '../turn/step-turn.ts';
import type { TurnEffect, TurnState } from '../turn/turn-types.ts';
import type { Trace, TraceStep } from './trace.ts';

export interface ReplayedStep extends TraceStep {
  from: TurnState['kind'];
  to: TurnState['kind'];
  /** What the reducer decides now; null where it breaks. */
  decided: readonly TurnEffect[] | null;
  /** Why it broke. */
  fault: Error | null;
  /** Whether it decides what it decided then. */
  isSame: boolean;
}

/** Runs the events of a trace through the turn reducer again. It ends where the reducer breaks. */
export function replayTrace(trace: Trace, step: typeof stepTurn = stepTurn): ReplayedStep[] {
  const replayed: ReplayedStep[] = [];
  let state = trace.initial;
  for (const recorded of trace.steps) {
    const from = state.kind;
    try {
      const next = step(state, recorded.event);
      state = next.state;
      const isSame =
        recorded.effects !== null && isDeepStrictEqual(asRecorded(next.effects), recorded.effects);
      replayed.push({ ...recorded, from, to: state.kind, decided: next.effects, fault: null, isSame });
    } catch (thrown) {
      const isSame = recorded.effects === null;
      replayed.push({ ...recorded, from, to: from, decided: null, fault: toError(thrown), isSame });
      break;
    }
  }
  return replayed;
}

/** What has no value is not written. */
function asRecorded(effects: readonly TurnEffect[]): unknown {
  return JSON.parse(JSON.stringify(effects));
}
