import type { SignalRequest } from '@calls/api-contract/signalling/signal-requests';

/** Steps that are allowed once per connection. */
type Step = 'connect_send' | 'connect_receive' | 'audio' | 'data' | 'consume';

export interface SignallingState {
  readonly sendTransportId: string;
  readonly receiveTransportId: string;
  /** Completed and running steps. */
  readonly taken: ReadonlySet<Step>;
  readonly join: { kind: 'not_asked' } | { kind: 'asked'; requestId: number } | { kind: 'joined' };
  /** Whether the receive transport is connected. */
  readonly isConnected: boolean;
}

export type SignallingEvent =
  | { type: 'request'; request: SignalRequest }
  /** A request failed and may be repeated. */
  | { type: 'failed'; request: SignalRequest }
  | { type: 'connected' };

export type SignallingEffect =
  | { type: 'perform'; request: SignalRequest }
  | { type: 'refuse'; requestId: number; code: 'invalid' | 'out_of_order'; message: string }
  /** The call begins; `requestId` is answered. */
  | { type: 'join'; requestId: number };

export interface SignallingStep {
  state: SignallingState;
  effects: readonly SignallingEffect[];
}

export function signallingBegins(sendTransportId: string, receiveTransportId: string): SignallingState {
  return {
    sendTransportId,
    receiveTransportId,
    taken: new Set(),
    join: { kind: 'not_asked' },
    isConnected: false,
  };
}

/** The order of signalling. Repeated requests are rejected. A client must set up receiving audio before it joins. */
export function stepSignalling(state: SignallingState, event: SignallingEvent): SignallingStep {
  switch (event.type) {
    case 'connected':
      return joinIfReady({ ...state, isConnected: true });
    case 'failed': {
      const step = stepOf(state, event.request);
      const taken = new Set(state.taken);
      if (step !== null && step !== 'unknown_transport') taken.delete(step);
      return { state: { ...state, taken }, effects: [] };
    }
    case 'request':
      return onRequest(state, event.request);
  }
}

function onRequest(state: SignallingState, request: SignalRequest): SignallingStep {
  const { requestId } = request;
  if (request.type === 'rtc_join') return onJoin(state, requestId);
  const step = stepOf(state, request);
  if (step === 'unknown_transport') {
    return refused(state, requestId, 'invalid', 'unknown transport');
  }
  if (step === null) return { state, effects: [{ type: 'perform', request }] };
  if (state.taken.has(step)) {
    return refused(state, requestId, 'out_of_order', `${request.type} was already requested`);
  }
  return {
    state: { ...state, taken: new Set([...state.taken, step]) },
    effects: [{ type: 'perform', request }],
  };
}

function onJoin(state: SignallingState, requestId: number): SignallingStep {
  if (state.join.kind !== 'not_asked') {
    return refused(state, requestId, 'out_of_order', 'rtc_join was already requested');
  }
  if (!state.taken.has('consume') || !state.taken.has('connect_receive')) {
    const message = 'rtc_join requires rtc_consume and rtc_connect_transport of the receive transport';
    return refused(state, requestId, 'out_of_order', message);
  }
  return joinIfReady({ ...state, join: { kind: 'asked', requestId } });
}

function joinIfReady(state: SignallingState): SignallingStep {
  if (state.join.kind !== 'asked' || !state.isConnected) return { state, effects: [] };
  return {
    state: { ...state, join: { kind: 'joined' } },
    effects: [{ type: 'join', requestId: state.join.requestId }],
  };
}

/** Null for requests that may be repeated. */
function stepOf(state: SignallingState, request: SignalRequest): Step | 'unknown_transport' | null {
  switch (request.type) {
    case 'rtc_connect_transport':
      if (request.transportId === state.sendTransportId) return 'connect_send';
      return request.transportId === state.receiveTransportId ? 'connect_receive' : 'unknown_transport';
    case 'rtc_restart_ice': {
      const { sendTransportId, receiveTransportId } = state;
      const isKnown = [sendTransportId, receiveTransportId].includes(request.transportId);
      return isKnown ? null : 'unknown_transport';
    }
    case 'rtc_produce_audio':
      return 'audio';
    case 'rtc_produce_data':
      return 'data';
    case 'rtc_consume':
      return 'consume';
    case 'rtc_join':
      return null;
  }
}

function refused(
  state: SignallingState,
  requestId: number,
  code: 'invalid' | 'out_of_order',
  message: string,
): SignallingStep {
  return { state, effects: [{ type: 'refuse', requestId, code, message }] };
}
