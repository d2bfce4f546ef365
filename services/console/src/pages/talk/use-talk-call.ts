import { useEffect, useState, useSyncExternalStore } from 'react';
import { TalkCall } from './talk-call.ts';
import type { TalkState } from './talk-state.ts';

/** A call of the component. It ends when the component is removed. */
export function useTalkCall(): { call: TalkCall; state: TalkState } {
  const [call] = useState(() => new TalkCall());
  const state = useSyncExternalStore(call.subscribe, () => call.state);
  useEffect(() => () => void call.leave(), [call]);
  return { call, state };
}
