import type { StageSpec } from '@calls/api-contract/call-spec';
import { StageState } from '../tools/call-state.ts';

/** The current stage and its state. */
export interface LiveStage {
  spec: StageSpec;
  state: StageState;
}

export function liveStage(spec: StageSpec, state = spec.initialState): LiveStage {
  return { spec, state: new StageState(state) };
}
