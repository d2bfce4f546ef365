import { toError } from '@calls/foundation/errors';
import { stepTurn } from '../turn/step-turn.ts';
import type { TurnEffect, TurnState } from '../turn/turn-types.ts';
import type { Trace, TraceStep } from './trace.ts';

export interface ReplayedStep extends TraceStep {
  from: TurnState['kind'];
  to: TurnState['kind'];
  /** The reducer's decision now; null if it throws. */
  decided: readonly TurnEffect[] | null;
  /** The error that it throws. */
  error: Error | null;
  /** Whether the decision equals the recorded one. */
  isSame: boolean;
}

/** Runs the events of a trace through the turn reducer. Stops if the reducer throws. */
export function replayTrace(trace: Trace, step: typeof stepTurn = stepTurn): ReplayedStep[] {
  const replayed: ReplayedStep[] = [];
  let state = trace.initial;
  for (const recorded of trace.steps) {
    state = recorded.initial ?? state;
    const from = state.kind;
    try {
      const next = step(state, recorded.event);
      state = next.state;
      const isSame = recorded.effects !== null && isSameJson(next.effects, recorded.effects);
      replayed.push({ ...recorded, from, to: state.kind, decided: next.effects, error: null, isSame });
    } catch (thrown) {
      const isSame = recorded.effects === null;
      replayed.push({ ...recorded, from, to: from, decided: null, error: toError(thrown), isSame });
      break;
    }
  }
  return replayed;
}

/** Compares as JSON: fields without a value and the order of fields do not matter. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [fieldsOfA, fieldsOfB] = [fieldsOf(a), fieldsOf(b)];
  return (
    Array.isArray(a) === Array.isArray(b) &&
    fieldsOfA.size === fieldsOfB.size &&
    [...fieldsOfA].every(([name, value]) => fieldsOfB.has(name) && isSameJson(value, fieldsOfB.get(name)))
  );
}

function fieldsOf(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, field]) => field !== undefined));
}
