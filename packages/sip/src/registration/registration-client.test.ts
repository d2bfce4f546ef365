import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Registration, RegistrationOutcome } from '../calls.ts';
import { headerOf, headersOf } from '../message/headers.ts';
import { answerTo, RawPeer } from '../testing/raw-peer.ts';

const CHALLENGE = 'Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256';
const OWN = '<sip:token@10.0.0.2:5060>';

let peer: RawPeer;
let outcomes: RegistrationOutcome[];
let registration: Registration;

beforeEach(() => {
  peer = new RawPeer();
  outcomes = [];
});

afterEach(async () => {
  registration.abandon();
  await peer.expectNothingLeft();
});

async function register(options: { registrar?: string; outboundProxy?: string | null; user?: string } = {}) {
  registration = peer.us.core.register({
    user: 'alice',
    registrar: '203.0.113.9',
    outboundProxy: null,
    credentials: { username: 'auth-alice', password: 'secret' },
    contactUser: 'token',
    owner: 'account',
    onOutcome: (outcome) => outcomes.push(outcome),
    ...options,
  });
  await peer.clock.advance(50);
}

const respond = (status: string, ...lines: readonly string[]) =>
  peer.say(answerTo(peer.requestOf('REGISTER'), status, { lines }));

describe('registration at a registrar', () => {
  it('responds to the challenge with the authentication user name, and reports the granted lifetime', async () => {
    await register();
    const first = peer.requestOf('REGISTER');
    expect(first.uri).toBe('sip:203.0.113.9');
    expect(headerOf(first, 'To')).toBe('<sip:alice@203.0.113.9>');
    expect(headerOf(first, 'Contact')).toBe(`${OWN};expires=600`);
    await respond('401 Unauthorized', `WWW-Authenticate: ${CHALLENGE}`);
    const second = peer.requestOf('REGISTER');
    expect(headerOf(second, 'Authorization')).toMatch(
      /^Digest username="auth-alice".*uri="sip:203.0.113.9"/u,
    );
    expect(headerOf(second, 'CSeq')).toBe('2 REGISTER');
    expect(outcomes).toEqual([]);
    await respond('200 OK', `Contact: <sip:other@192.0.2.1>;expires=5, ${OWN};expires=100`);
    expect(outcomes).toEqual([{ successful: true, expiresS: 100 }]);
    expect(registration.isRegistrar('203.0.113.9')).toBe(true);
    expect(registration.isRegistrar('203.0.113.10')).toBe(false);
    expect(registration.acceptedBy).toBe('203.0.113.9');
  });

  it('reports wrong credentials and does not retry immediately', async () => {
    await register();
    await respond('401 Unauthorized', `WWW-Authenticate: ${CHALLENGE}`);
    await respond('401 Unauthorized', `WWW-Authenticate: ${CHALLENGE}`);
    expect(outcomes).toEqual([{ successful: false, error: '401 Unauthorized' }]);
    await peer.clock.advance(20_000);
    expect(peer.requestsOf('REGISTER')).toHaveLength(2);
  });

  it('gives up if each response has a challenge of another realm', async () => {
    await register();
    for (let i = 0; i < 20; i += 1)
      await respond('401 Unauthorized', `WWW-Authenticate: Digest realm="r${i}", nonce="n"`);
    expect(outcomes).toEqual([{ successful: false, error: '401 Unauthorized' }]);
    expect(peer.requestsOf('REGISTER')).toHaveLength(9);
  });

  it('sends REGISTER through the outbound proxy as a loose route', async () => {
    await register({ registrar: 'pbx.example.test:5080', outboundProxy: '203.0.113.9', user: 'a b@c' });
    const request = peer.requestOf('REGISTER');
    expect(request.uri).toBe('sip:pbx.example.test:5080');
    expect(headerOf(request, 'Route')).toBe('<sip:203.0.113.9;lr>');
    expect(headerOf(request, 'From')).toMatch(/^<sip:a%20b%40c@pbx.example.test>;tag=/u);
  });

  it('tries the next address when one does not respond', async () => {
    peer.network.attach('203.0.113.10', () => undefined);
    peer.network.arrivalDelaysOf = (datagram) => (datagram.startsWith('10.0.0.2→203.0.113.9 ') ? [] : [10]);
    await register({ registrar: 'trunk.test' });
    await peer.clock.advance(4000);
    expect(peer.network.count('10.0.0.2→203.0.113.10 REGISTER')).toBeGreaterThan(0);
  });

  it('reports why the registrar cannot be reached', async () => {
    await register({ registrar: '198.51.100.7' });
    registration.abandon();
    await register({ registrar: 'a b' });
    expect(outcomes).toEqual([
      { successful: false, error: 'the address may not be called' },
      { successful: false, error: 'the address of the registrar is malformed' },
    ]);
  });

  it('removes the bindings of earlier workers and no others', async () => {
    await register();
    const stale = '<sip:token@10.0.0.1:5060>';
    const listed = `Contact: ${stale};expires=300, <sip:phone@192.0.2.1>;expires=300, ${OWN};expires=600`;
    await respond('200 OK', listed);
    const removal = peer.requestOf('REGISTER');
    expect(headersOf(removal, 'Contact')).toEqual([`${stale};expires=0`]);
    expect(headerOf(removal, 'Expires')).toBe('0');
    await respond('200 OK', `Contact: ${OWN};expires=600`);
    expect(peer.requestsOf('REGISTER')).toHaveLength(2);
  });

  it.each([
    ['replaced its address', '203.0.113.9', '<sip:token@198.51.100.7:31044>'],
    [
      'spells its transport differently',
      '203.0.113.9;transport=tcp',
      '<sip:token@10.0.0.2:5060;transport=TCP>',
    ],
  ])('retains its binding if the registrar %s', async (_, registrar, listed) => {
    await register({ registrar });
    await respond('200 OK', `Contact: ${listed};expires=120`);
    expect(outcomes).toEqual([{ successful: true, expiresS: 120 }]);
    expect(peer.requestsOf('REGISTER')).toHaveLength(1);
  });

  it('removes its binding when stopped', async () => {
    await register();
    await respond('200 OK', `Contact: ${OWN};expires=600`);
    const stopped = registration.stop();
    await peer.clock.advance(50);
    expect(headerOf(peer.requestOf('REGISTER'), 'Contact')).toBe(`${OWN};expires=0`);
    await respond('401 Unauthorized', `WWW-Authenticate: ${CHALLENGE}`);
    await respond('200 OK');
    await stopped;
    expect(headerOf(peer.requestOf('REGISTER'), 'Authorization')).toContain('uri="sip:203.0.113.9"');
    await peer.clock.advance(1_000_000);
    expect(peer.requestsOf('REGISTER')).toHaveLength(3);
    expect(outcomes).toHaveLength(1);
  });

  it('does not wait for an unresponsive registrar when stopped', async () => {
    await register();
    const stopped = registration.stop();
    await peer.clock.advance(2000);
    await stopped;
    expect(outcomes).toEqual([]);
  });
});
