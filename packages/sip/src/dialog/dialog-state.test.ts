import { describe, expect, it } from '@jest/globals';
import type { SipHeaders } from '../message/headers.ts';
import { headersOf } from '../message/headers.ts';
import type { SipRequest } from '../message/message.ts';
import {
  withRemoteCSeq,
  dialogOfRequest,
  dialogOfResponse,
  requestWithin,
  withRemoteTarget,
} from './dialog-state.ts';

const INVITE: SipRequest = {
  kind: 'request',
  method: 'INVITE',
  uri: 'sip:b@test',
  headers: [
    ['From', '"A" <sip:a@test>;tag=from'],
    ['To', '<sip:b@test>'],
    ['Call-ID', 'call'],
    ['CSeq', '314 INVITE'],
    ['Contact', '<sip:a@192.0.2.1>'],
    ['Record-Route', '<sip:p1.test;lr>, <sip:p2.test;lr>'],
  ],
  body: '',
};

function answered(...headers: SipHeaders) {
  const all = [['To', '<sip:b@test>;tag=to'], ...headers] as const;
  return dialogOfResponse(INVITE, { kind: 'response', status: 200, reason: 'OK', headers: all, body: '' });
}

function bye(state: ReturnType<typeof answered>) {
  if (!state) throw new Error('no dialog');
  return requestWithin(state, 'BYE', state.localCSeq + 1);
}

describe('DialogState', () => {
  it('takes the peer’s tag and target and the reversed route set from the response to a sent INVITE', () => {
    const state = answered(
      ['Contact', '<sip:b@192.0.2.2>'],
      ['Record-Route', '<sip:p1.test;lr>'],
      ['Record-Route', '<sip:p2.test;lr>'],
    );
    const { request, nextHop } = bye(state);
    expect(state).toMatchObject({ callId: 'call', localTag: 'from', remoteTag: 'to', remoteCSeq: null });
    expect(request.uri).toBe('sip:b@192.0.2.2');
    expect(nextHop).toBe('sip:p2.test;lr');
    expect(request.headers).toEqual([
      ['Max-Forwards', '70'],
      ['Route', '<sip:p2.test;lr>'],
      ['Route', '<sip:p1.test;lr>'],
      ['From', '"A" <sip:a@test>;tag=from'],
      ['To', '<sip:b@test>;tag=to'],
      ['Call-ID', 'call'],
      ['CSeq', '315 BYE'],
    ]);
  });

  it('takes the tags and the route set in order from a received INVITE', () => {
    const state = dialogOfRequest(INVITE, 'ours');
    const { request, nextHop } = requestWithin(state, 'BYE', 1);
    expect(state).toMatchObject({ localTag: 'ours', remoteTag: 'from', remoteCSeq: 314 });
    expect([request.uri, nextHop]).toEqual(['sip:a@192.0.2.1', 'sip:p1.test;lr']);
    expect(headersOf(request, 'Route')).toEqual(['<sip:p1.test;lr>', '<sip:p2.test;lr>']);
    expect(headersOf(request, 'From')).toEqual(['<sip:b@test>;tag=ours']);
  });

  it('follows the rules of strict routing when the first route is a strict router', () => {
    const state = answered(
      ['Contact', '<sip:b@192.0.2.2>'],
      ['Record-Route', '<sip:p1.test;lr>, <sip:strict.test>'],
    );
    const { request, nextHop } = bye(state);
    expect([request.uri, nextHop]).toEqual(['sip:strict.test', 'sip:strict.test']);
    expect(headersOf(request, 'Route')).toEqual(['<sip:p1.test;lr>', '<sip:b@192.0.2.2>']);
  });

  it('uses the target of the INVITE when the response has no Contact, and is not created without a To tag', () => {
    expect(answered()?.remoteTarget).toBe('sip:b@test');
    const untagged = {
      kind: 'response',
      status: 200,
      reason: '',
      headers: [['To', '<sip:b@test>']],
      body: '',
    } as const;
    expect(dialogOfResponse(INVITE, untagged)).toBeNull();
  });

  it('accepts only a higher CSeq, and updates the target from a new Contact', () => {
    const state = dialogOfRequest(INVITE, 'ours');
    expect(withRemoteCSeq(state, 314)).toBeNull();
    expect(withRemoteCSeq(state, 400)).toMatchObject({ remoteCSeq: 400 });
    const moved: SipRequest = { ...INVITE, headers: [['Contact', '<sip:a@192.0.2.9>;expires=1']] };
    expect(withRemoteTarget(state, moved).remoteTarget).toBe('sip:a@192.0.2.9');
    expect(withRemoteTarget(state, { ...INVITE, headers: [] }).remoteTarget).toBe('sip:a@192.0.2.1');
  });
});
