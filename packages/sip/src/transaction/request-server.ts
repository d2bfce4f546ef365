import type { SipResponse } from '../message/message.ts';
import {
  END,
  startTimer,
  TRANSACTION_LIMIT_MS,
  type MachineEffect,
  type MachineEvent,
  type Step,
} from './machine.ts';

/** RFC 3261, 17.2.2: requests other than INVITE and ACK. */
export type RequestServerState =
  | { name: 'trying'; isReliable: boolean }
  | { name: 'completed'; response: SipResponse }
  | { name: 'ended' };

export type RequestServerEvent =
  | MachineEvent
  | { kind: 'respond'; response: SipResponse }
  | { kind: 'repeated' };

export type RequestServerEffect = MachineEffect | { kind: 'send'; response: SipResponse };

type RequestServerStep = Step<RequestServerState, RequestServerEffect>;

export function startRequestServer(isReliable: boolean): RequestServerStep {
  return { state: { name: 'trying', isReliable }, effects: [] };
}

/** All responses are final: provisional ones are sent to INVITE only. */
export function stepRequestServer(state: RequestServerState, event: RequestServerEvent): RequestServerStep {
  switch (state.name) {
    case 'trying': {
      if (event.kind !== 'respond') return { state, effects: [] };
      const send = { kind: 'send', response: event.response } as const;
      if (state.isReliable) return { state: { name: 'ended' }, effects: [send, END] };
      return {
        state: { name: 'completed', response: event.response },
        effects: [send, startTimer('forget', TRANSACTION_LIMIT_MS)],
      };
    }
    case 'completed':
      if (event.kind === 'repeated') return { state, effects: [{ kind: 'send', response: state.response }] };
      return event.kind === 'respond' ? { state, effects: [] } : { state: { name: 'ended' }, effects: [END] };
    case 'ended':
      return { state, effects: [] };
  }
}
