import type { CallState } from '@calls/api-contract/call-spec';

/** Longest state, as JSON. */
export const MAX_CALL_STATE_CHARS = 65_536;

/** What the tools of a stage remember together. */
export class StageState {
  #value: CallState;

  constructor(initial: CallState) {
    this.#value = initial;
  }

  get value(): CallState {
    return this.#value;
  }

  /** Top-level keys are replaced, null removes one. False where the state would grow beyond its limit: it stays as it is. */
  update(changes: CallState): boolean {
    const merged = { ...this.#value, ...changes };
    const next = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
    if (JSON.stringify(next).length > MAX_CALL_STATE_CHARS) return false;
    this.#value = next;
    return true;
  }
}
