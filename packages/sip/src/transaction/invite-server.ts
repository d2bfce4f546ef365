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

/**
 * RFC 3261, 17.2.1, with `accepted` of RFC 6026: after a 2xx, repeated INVITEs are absorbed. The owner repeats the 2xx
 * until the ACK, which is another transaction, arrives.
 */
export type InviteServerState =
  | { name: 'proceeding'; isReliable: boolean; last: SipResponse | null }
  | { name: 'completed'; isReliable: boolean; last: SipResponse; repeatMs: number }
  | { name: 'accepted' }
  | { name: 'confirmed' }
  | { name: 'ended' };

export type InviteServerEvent =
  | MachineEvent
  | { kind: 'respond'; response: SipResponse }
  | { kind: 'repeated' }
  | { kind: 'acknowledged' };

export type InviteServerEffect = MachineEffect | { kind: 'send'; response: SipResponse };

type InviteServerStep = Step<InviteServerState, InviteServerEffect>;

export function startInviteServer(isReliable: boolean): InviteServerStep {
  return { state: { name: 'proceeding', isReliable, last: null }, effects: [] };
}

export function stepInviteServer(state: InviteServerState, event: InviteServerEvent): InviteServerStep {
  switch (state.name) {
    case 'proceeding':
      return stepProceeding(state, event);
    case 'completed':
      return stepCompleted(state, event);
    case 'accepted':
      // The owner repeats the 2xx through this transaction.
      if (event.kind === 'respond') return { state, effects: [{ kind: 'send', response: event.response }] };
      return event.kind === 'timer' ? ended() : { state, effects: [] };
    case 'confirmed':
      return event.kind === 'timer' ? ended() : { state, effects: [] };
    case 'ended':
      return { state, effects: [] };
  }
}

function stepProceeding(
  state: InviteServerState & { name: 'proceeding' },
  event: InviteServerEvent,
): InviteServerStep {
  const { isReliable, last } = state;
  switch (event.kind) {
    case 'repeated':
      return { state, effects: last ? [{ kind: 'send', response: last }] : [] };
    case 'respond': {
      const { response } = event;
      const send = { kind: 'send', response } as const;
      if (response.status < 200) return { state: { ...state, last: response }, effects: [send] };
      if (response.status < 300) {
        return { state: { name: 'accepted' }, effects: [send, startTimer('forget', TRANSACTION_LIMIT_MS)] };
      }
      return {
        state: { name: 'completed', isReliable, last: response, repeatMs: T1_MS },
        effects: [
          send,
          startTimer('giveUp', TRANSACTION_LIMIT_MS),
          ...(isReliable ? [] : [startTimer('repeat', T1_MS)]),
        ],
      };
    }
    case 'transportFailed':
      return { state: { name: 'ended' }, effects: failure('transport') };
    case 'acknowledged':
    case 'timer':
      return { state, effects: [] };
  }
}

function stepCompleted(
  state: InviteServerState & { name: 'completed' },
  event: InviteServerEvent,
): InviteServerStep {
  const send = { kind: 'send', response: state.last } as const;
  switch (event.kind) {
    case 'repeated':
      return { state, effects: [send] };
    case 'acknowledged':
      if (state.isReliable) return ended();
      return {
        state: { name: 'confirmed' },
        effects: [stopTimer('repeat'), stopTimer('giveUp'), startTimer('forget', T4_MS)],
      };
    case 'timer': {
      if (event.timer === 'giveUp') return { state: { name: 'ended' }, effects: failure('timeout') };
      const repeatMs = Math.min(state.repeatMs * 2, T2_MS);
      return { state: { ...state, repeatMs }, effects: [send, startTimer('repeat', repeatMs)] };
    }
    case 'transportFailed':
      return { state: { name: 'ended' }, effects: failure('transport') };
    case 'respond':
      return { state, effects: [] };
  }
}

function ended(): InviteServerStep {
  return { state: { name: 'ended' }, effects: [END] };
}
