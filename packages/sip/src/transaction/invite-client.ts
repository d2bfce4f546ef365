import type { SipResponse } from '../message/message.ts';
import {
  END,
  failure,
  FINAL_REPEATS_MS,
  startTimer,
  stopTimer,
  T1_MS,
  TRANSACTION_LIMIT_MS,
  type MachineEffect,
  type MachineEvent,
  type Step,
} from './machine.ts';

/** RFC 3261, 17.1.1, with `accepted` of RFC 6026: every 2xx is delivered, including those of other forked branches. */
export type InviteClientState =
  | { name: 'calling'; isReliable: boolean; repeatMs: number }
  | { name: 'proceeding'; isReliable: boolean }
  | { name: 'completed' }
  | { name: 'accepted' }
  | { name: 'ended' };

export type InviteClientEvent =
  | MachineEvent
  | { kind: 'response'; response: SipResponse }
  /** A CANCEL was sent: a final response comes soon, or never (RFC 3261, 9.1). */
  | { kind: 'cancelled' };

/** `acknowledge`: send ACK for a non-2xx final response, in the same transaction. */
export type InviteClientEffect =
  | MachineEffect
  | { kind: 'send' }
  | { kind: 'acknowledge'; response: SipResponse }
  | { kind: 'pass'; response: SipResponse };

type InviteClientStep = Step<InviteClientState, InviteClientEffect>;

export function startInviteClient(isReliable: boolean): InviteClientStep {
  return {
    state: { name: 'calling', isReliable, repeatMs: T1_MS },
    effects: [
      { kind: 'send' },
      startTimer('giveUp', TRANSACTION_LIMIT_MS),
      ...(isReliable ? [] : [startTimer('repeat', T1_MS)]),
    ],
  };
}

export function stepInviteClient(state: InviteClientState, event: InviteClientEvent): InviteClientStep {
  switch (state.name) {
    case 'calling':
    case 'proceeding':
      return stepWaiting(state, event);
    case 'completed':
      return stepCompleted(state, event);
    case 'accepted':
      if (event.kind === 'response' && isSuccess(event.response)) return passing(state, event.response);
      return event.kind === 'timer' ? { state: { name: 'ended' }, effects: [END] } : unmoved(state);
    case 'ended':
      return unmoved(state);
  }
}

function stepWaiting(
  state: InviteClientState & { name: 'calling' | 'proceeding' },
  event: InviteClientEvent,
): InviteClientStep {
  switch (event.kind) {
    case 'response':
      return stepResponse(state, event.response);
    case 'transportFailed':
      return { state: { name: 'ended' }, effects: failure('transport') };
    case 'cancelled':
      if (state.name === 'calling') return unmoved(state);
      return { state, effects: [startTimer('giveUp', TRANSACTION_LIMIT_MS)] };
    case 'timer':
      if (event.timer === 'giveUp') return { state: { name: 'ended' }, effects: failure('timeout') };
      if (state.name === 'proceeding') return unmoved(state);
      return {
        state: { ...state, repeatMs: state.repeatMs * 2 },
        effects: [{ kind: 'send' }, startTimer('repeat', state.repeatMs * 2)],
      };
  }
}

function stepResponse(
  state: InviteClientState & { name: 'calling' | 'proceeding' },
  response: SipResponse,
): InviteClientStep {
  const pass = { kind: 'pass', response } as const;
  const stop = [stopTimer('repeat'), stopTimer('giveUp')];
  const { isReliable } = state;
  if (response.status < 200) {
    if (state.name === 'proceeding') return passing(state, response);
    return { state: { name: 'proceeding', isReliable }, effects: [...stop, pass] };
  }
  if (isSuccess(response)) {
    return {
      state: { name: 'accepted' },
      effects: [...stop, startTimer('forget', TRANSACTION_LIMIT_MS), pass],
    };
  }
  const acknowledge = { kind: 'acknowledge', response } as const;
  if (isReliable) return { state: { name: 'ended' }, effects: [acknowledge, pass, END] };
  return {
    state: { name: 'completed' },
    effects: [...stop, acknowledge, startTimer('forget', FINAL_REPEATS_MS), pass],
  };
}

function stepCompleted(state: InviteClientState, event: InviteClientEvent): InviteClientStep {
  switch (event.kind) {
    case 'response':
      if (event.response.status < 300) return unmoved(state);
      return { state, effects: [{ kind: 'acknowledge', response: event.response }] };
    case 'timer':
    case 'transportFailed':
      return { state: { name: 'ended' }, effects: [END] };
    case 'cancelled':
      return unmoved(state);
  }
}

function isSuccess({ status }: SipResponse): boolean {
  return status >= 200 && status < 300;
}

function passing(state: InviteClientState, response: SipResponse): InviteClientStep {
  return { state, effects: [{ kind: 'pass', response }] };
}

function unmoved(state: InviteClientState): InviteClientStep {
  return { state, effects: [] };
}
