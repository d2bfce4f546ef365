import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLoss } from '../../components/leaving/losses.ts';
import { TalkCall } from './talk-call.ts';
import type { TalkState } from './talk-state.ts';

/** A call of the component. It ends when the component is removed or gets another agent. */
export function useTalkCall(agentId = ''): { call: TalkCall; state: TalkState } {
  const [call] = useState(() => new TalkCall());
  const state = useSyncExternalStore(call.subscribe, () => call.state);
  useLoss('call', state.phase === 'starting' || state.phase === 'inCall');
  useEffect(() => () => void call.leave().then(() => call.reset()), [call, agentId]);
  return { call, state };
}
