import type { SipResponse } from '../message/message.ts';
import {
  END,
  failure,
  startTimer,
  stopTimer,
  T1_MS,
  T2_MS,
  T4_MS,
  TRANSACTION_LIMIT_MS,
  type MachineEffect,
  type MachineEvent,
  type Step,
} from './machine.ts';

/** RFC 3261, 17.1.2: requests other than INVITE and ACK. */
export type RequestClientState =
  | { name: 'trying'; isReliable: boolean; repeatMs: number }
  | { name: 'proceeding'; isReliable: boolean }
  | { name: 'completed' }
  | { name: 'ended' };

export type RequestClientEvent = MachineEvent | { kind: 'response'; response: SipResponse };

export type RequestClientEffect = MachineEffect | { kind: 'send' } | { kind: 'pass'; response: SipResponse };

type RequestClientStep = Step<RequestClientState, RequestClientEffect>;

export function startRequestClient(isReliable: boolean): RequestClientStep {
  return {
    state: { name: 'trying', isReliable, repeatMs: T1_MS },
    effects: [
      { kind: 'send' },
      startTimer('giveUp', TRANSACTION_LIMIT_MS),
      ...(isReliable ? [] : [startTimer('repeat', T1_MS)]),
    ],
  };
}

export function stepRequestClient(state: RequestClientState, event: RequestClientEvent): RequestClientStep {
  switch (state.name) {
    case 'trying':
    case 'proceeding':
      return stepWaiting(state, event);
    case 'completed':
      return event.kind === 'response'
        ? { state, effects: [] }
        : { state: { name: 'ended' }, effects: [END] };
    case 'ended':
      return { state, effects: [] };
  }
}

function stepWaiting(
  state: RequestClientState & { name: 'trying' | 'proceeding' },
  event: RequestClientEvent,
): RequestClientStep {
  switch (event.kind) {
    case 'response':
      return stepResponse(state, event.response);
    case 'transportFailed':
      return { state: { name: 'ended' }, effects: failure('transport') };
    case 'timer': {
      if (event.timer === 'giveUp') return { state: { name: 'ended' }, effects: failure('timeout') };
      if (state.name === 'proceeding') {
        return { state, effects: [{ kind: 'send' }, startTimer('repeat', T2_MS)] };
      }
      const repeatMs = Math.min(state.repeatMs * 2, T2_MS);
      return { state: { ...state, repeatMs }, effects: [{ kind: 'send' }, startTimer('repeat', repeatMs)] };
    }
  }
}

function stepResponse(
  { isReliable }: RequestClientState & { name: 'trying' | 'proceeding' },
  response: SipResponse,
): RequestClientStep {
  const pass = { kind: 'pass', response } as const;
  if (response.status < 200) {
    const repeat = isReliable ? [] : [startTimer('repeat', T2_MS)];
    return { state: { name: 'proceeding', isReliable }, effects: [...repeat, pass] };
  }
  if (isReliable) return { state: { name: 'ended' }, effects: [pass, END] };
  return {
    state: { name: 'completed' },
    effects: [stopTimer('repeat'), stopTimer('giveUp'), startTimer('forget', T4_MS), pass],
  };
}
