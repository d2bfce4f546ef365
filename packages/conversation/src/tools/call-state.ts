import type { CallState, StageSpec } from '@calls/api-contract/call-spec';

/** Maximum size of the state as JSON. */
const MAX_CALL_STATE_CHARS = 65_536;

/** State shared by the tools of a stage. */
export class StageState {
  #value: CallState;

  constructor(initial: CallState) {
    this.#value = initial;
  }

  get value(): CallState {
    return this.#value;
  }

  /**
   * Replaces top-level keys; null removes a key. False, without a change, if the state would exceed its limit.
   */
  update(changes: CallState): boolean {
    const merged = { ...this.#value, ...changes };
    const next = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
    if (JSON.stringify(next).length > MAX_CALL_STATE_CHARS) return false;
    this.#value = next;
    return true;
  }
}

/** The current stage and its state. */
export interface LiveStage {
  spec: StageSpec;
  state: StageState;
}

export function liveStage(spec: StageSpec, state = spec.initialState): LiveStage {
  return { spec, state: new StageState(state) };
}
