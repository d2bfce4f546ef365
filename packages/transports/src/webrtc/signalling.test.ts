import { describe, expect, it } from '@jest/globals';
import type { SignalRequest } from '@calls/api-contract/signalling/signal-requests';
import {
  signallingBegins,
  stepSignalling,
  type SignallingEffect,
  type SignallingEvent,
  type SignallingState,
} from './signalling.ts';

const dtlsParameters = { fingerprints: [{ algorithm: 'sha-256', value: 'AB' }] } as const;
const CONNECT_SEND: SignalRequest = {
  type: 'rtc_connect_transport',
  requestId: 1,
  transportId: 'send',
  dtlsParameters: { fingerprints: [...dtlsParameters.fingerprints] },
};
const CONNECT_RECEIVE: SignalRequest = { ...CONNECT_SEND, requestId: 2, transportId: 'receive' };
const CONSUME: SignalRequest = {
  type: 'rtc_consume',
  requestId: 3,
  rtpCapabilities: { codecs: [] },
  data: true,
};
const PRODUCE: SignalRequest = {
  type: 'rtc_produce_audio',
  requestId: 4,
  rtpParameters: { codecs: [{ mimeType: 'audio/opus', clockRate: 48_000, payloadType: 100 }] },
};
const JOIN: SignalRequest = { type: 'rtc_join', requestId: 5 };
const RESTART: SignalRequest = { type: 'rtc_restart_ice', requestId: 6, transportId: 'send' };
const CONNECTED: SignallingEvent = { type: 'connected' };

/** All effects of the events, in order. */
function run(...events: (SignalRequest | SignallingEvent)[]): SignallingEffect[] {
  let state: SignallingState = signallingBegins('send', 'receive');
  return events.flatMap((event) => {
    const step = stepSignalling(state, 'requestId' in event ? { type: 'request', request: event } : event);
    state = step.state;
    return step.effects;
  });
}

const perform = (request: SignalRequest): SignallingEffect => ({ type: 'perform', request });
const joined: SignallingEffect = { type: 'join', requestId: 5 };

describe('stepSignalling', () => {
  it('performs the requests of a client, and joins when the client is connected', () => {
    expect(run(CONNECT_SEND, PRODUCE, CONSUME, CONNECT_RECEIVE, JOIN)).toEqual(
      [CONNECT_SEND, PRODUCE, CONSUME, CONNECT_RECEIVE].map(perform),
    );
    expect(run(CONSUME, CONNECT_RECEIVE, JOIN, CONNECTED).at(-1)).toEqual(joined);
    expect(run(CONSUME, CONNECT_RECEIVE, CONNECTED, JOIN).at(-1)).toEqual(joined);
  });

  it('accepts a microphone after the join', () => {
    const effects = run(CONSUME, CONNECT_RECEIVE, JOIN, CONNECTED, CONNECT_SEND, PRODUCE);
    expect(effects.slice(-3)).toEqual([joined, perform(CONNECT_SEND), perform(PRODUCE)]);
  });

  it.each([
    [[JOIN], 'requires'],
    [[CONSUME, JOIN], 'requires'],
    [[CONNECT_RECEIVE, JOIN], 'requires'],
    [[CONSUME, CONNECT_RECEIVE, JOIN, JOIN], 'already requested'],
    [[CONSUME, CONSUME], 'already requested'],
    [[PRODUCE, PRODUCE], 'already requested'],
    [[CONNECT_SEND, CONNECT_SEND], 'already requested'],
  ])('refuses requests that are out of order (%#)', (requests, message) => {
    expect(run(...requests).at(-1)).toMatchObject({
      type: 'refuse',
      requestId: requests.at(-1)?.requestId,
      code: 'out_of_order',
      message: expect.stringContaining(message),
    });
  });

  it('refuses transports of another call', () => {
    const requests: SignalRequest[] = [
      { ...CONNECT_SEND, transportId: 'other' },
      { ...RESTART, transportId: 'other' },
    ];
    expect(requests.flatMap((request) => run(request))).toMatchObject([
      { type: 'refuse', code: 'invalid' },
      { type: 'refuse', code: 'invalid' },
    ]);
  });

  it('accepts a request again after it failed', () => {
    expect(run(PRODUCE, { type: 'failed', request: PRODUCE }, PRODUCE)).toEqual([
      perform(PRODUCE),
      perform(PRODUCE),
    ]);
  });

  it('restarts ICE on every request', () => {
    expect(run(RESTART, RESTART)).toEqual([perform(RESTART), perform(RESTART)]);
  });

  it('joins once when the client connects again', () => {
    const effects = run(CONSUME, CONNECT_RECEIVE, JOIN, CONNECTED, CONNECTED);
    expect(effects.filter(({ type }) => type === 'join')).toEqual([joined]);
  });
});
