import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { headerOf } from '../message/headers.ts';
import { RawPeer } from '../testing/raw-peer.ts';
import { rawRequest, simulatedEndpoint } from '../testing/simulated-network.ts';

const FORGED_RESPONSE = [
  'SIP/2.0 200 OK',
  'Via: SIP/2.0/UDP 10.0.0.2:5060;branch=z9hG4bKforged',
  'From: <sip:a@b>;tag=1',
  'To: <sip:a@b>;tag=2',
  'Call-ID: x',
  'CSeq: 1 INVITE',
  '\r\n',
].join('\r\n');

let peer: RawPeer;

beforeEach(() => {
  peer = new RawPeer();
});

afterEach(() => peer.expectNothingLeft());

describe('message outside a call', () => {
  it.each([
    ['OPTIONS', 200],
    ['REGISTER', 405],
    ['SUBSCRIBE', 405],
    ['FROB', 501],
    ['BYE', 481],
    ['CANCEL', 481],
  ])('%s receives the same %i response each time and leaves no state', async (method, status) => {
    await peer.say(rawRequest(method));
    await peer.say(rawRequest(method));
    expect(peer.received).toHaveLength(2);
    expect(peer.received[0]).toEqual(peer.received[1]);
    expect(peer.lastResponse().status).toBe(status);
    expect(peer.clock.pendingTimers).toBe(0);
    expect(peer.us.messages).toEqual([]);
  });

  it('is processed up to the rate limit of its source, which is higher after an INVITE', async () => {
    for (let i = 0; i < 100; i += 1) {
      peer.network.send(rawRequest('OPTIONS', [`Call-ID: scan-${i}`]), '203.0.113.9', '10.0.0.2');
    }
    await peer.clock.advance(100);
    expect(peer.received).toHaveLength(20);
    await peer.clock.advance(5000);
    for (let i = 0; i < 100; i += 1) {
      const via = `Via: SIP/2.0/UDP 203.0.113.9;branch=z9hG4bK-${i};rport`;
      peer.network.send(rawRequest('INVITE', [`Call-ID: call-${i}`, via]), '203.0.113.9', '10.0.0.2');
    }
    await peer.clock.advance(100);
    // The first INVITE counts towards the limit of unknown sources, the others towards that of peers.
    expect(peer.us.invites).toHaveLength(21);
    for (const each of peer.us.invites) each.reject(404, 'Not Found');
  });

  it.each([
    '',
    '\r\n\r\n',
    'hello',
    'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    'SIP/2.0 200 OK\r\n\r\n',
    rawRequest('ACK'),
  ])('%j receives no response', async (text) => {
    await peer.say(text);
    await peer.say(rawRequest('OPTIONS', ['Via: ']));
    await peer.say(FORGED_RESPONSE);
    expect(peer.received).toEqual([]);
  });

  it('receives 400 if a header field cannot be parsed', async () => {
    await peer.say(rawRequest('OPTIONS', ['Call-ID: ', 'From: <sip:x>;tag=1']));
    expect(peer.lastResponse()).toMatchObject({ status: 400, reason: 'Bad Request' });
  });

  it.each([
    ['too many header fields', Array<string>(300).fill('X: x')],
    ['a header field that is too long', [`X: ${'x'.repeat(9000)}`]],
    ['headers that are too long together', Array<string>(50).fill(`X: ${'x'.repeat(500)}`)],
    ['a header field of too many lines', [`X: x${'\r\n xxxx'.repeat(2000)}`]],
  ])('receives 513 if it has %s', async (_what, lines) => {
    await peer.say(rawRequest('INVITE', lines));
    expect(peer.lastResponse()).toMatchObject({ status: 513, reason: 'Message Too Large' });
    expect(headerOf(peer.lastResponse(), 'Call-ID')).toBe('raw-call');
    expect(peer.us.invites).toEqual([]);
    await peer.say(rawRequest('ACK', lines));
    expect(peer.received).toHaveLength(1);
  });

  it('is rejected with 503 if there are too many transactions', async () => {
    const busy = simulatedEndpoint(peer.network, '10.0.0.2', { transactions: 1 });
    await peer.say(rawRequest('INVITE'));
    await peer.say(
      rawRequest('INVITE', ['Call-ID: second', 'Via: SIP/2.0/UDP 203.0.113.9;branch=z9hG4bK-2;rport']),
    );
    expect(peer.lastResponse()).toMatchObject({ status: 503 });
    expect(headerOf(peer.lastResponse(), 'Retry-After')).toBe('5');
    expect(busy.invites).toHaveLength(1);
    busy.invites[0]?.reject(404, 'Not Found');
  });
});
