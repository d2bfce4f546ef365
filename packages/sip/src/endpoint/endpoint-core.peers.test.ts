import { VirtualClock } from '@calls/testkit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Dialog, IncomingInvite } from '../calls.ts';
import { headerOf, headersOf } from '../message/headers.ts';
import type { SipMessage, SipRequest, SipResponse } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import {
  rawRequest,
  SimulatedNetwork,
  simulatedEndpoint,
  type SimulatedEndpoint,
} from '../testing/simulated-network.ts';

const OFFER = 'v=0\r\no=peer\r\n';
const OURS = 'v=0\r\no=us\r\n';
const SDP_TYPE = 'Content-Type: application/sdp';

let clock: VirtualClock;
let network: SimulatedNetwork;
let us: SimulatedEndpoint;
/** What the peer, 10.9.9.9, was sent. */
let heard: SipMessage[];

beforeEach(() => {
  clock = new VirtualClock();
  network = new SimulatedNetwork(clock);
  us = simulatedEndpoint(network, clock, '10.0.0.2', { strayBurst: 20, strayPerSecond: 1 });
  heard = [];
  network.attach('10.9.9.9', (bytes) => {
    const message = parseMessage(bytes);
    if (message) heard.push(message);
  });
});

afterEach(async () => {
  await clock.advance(200_000);
  expect(clock.pendingTimers).toBe(0);
});

async function say(text: string): Promise<void> {
  network.send(text, '10.9.9.9', '10.0.0.2');
  await clock.advance(50);
}

function lastResponse(): SipResponse {
  const last = heard.findLast((message) => message.kind === 'response');
  if (last?.kind !== 'response') throw new Error('nothing was answered');
  return last;
}

function requestsOf(method: string): SipRequest[] {
  return heard.filter(
    (message): message is SipRequest => message.kind === 'request' && message.method === method,
  );
}

/** The latest of them, or the one at that place. */
function requestOf(method: string, at = -1): SipRequest {
  const request = requestsOf(method).at(at);
  if (!request) throw new Error(`no such ${method} was sent`);
  return request;
}

/** The peer's answer to a request of ours. */
function answer(
  request: SipRequest,
  status: string,
  tag: string,
  lines: readonly string[] = [],
  body = '',
): string {
  const copied = ['Via', 'From', 'Call-ID', 'CSeq'].map((name) => `${name}: ${headerOf(request, name)}`);
  const to = `To: ${headerOf(request, 'To')}${headerOf(request, 'To')?.includes('tag=') ? '' : `;tag=${tag}`}`;
  const type = body === '' ? [] : [SDP_TYPE];
  const all = [...copied, to, ...lines, ...type, `Content-Length: ${body.length}`];
  return `SIP/2.0 ${status}\r\n${all.join('\r\n')}\r\n\r\n${body}`;
}

async function incoming(lines: readonly string[] = [], body = OFFER): Promise<IncomingInvite> {
  await say(rawRequest('INVITE', body === '' ? lines : [...lines, SDP_TYPE], body));
  const invite = us.invites.at(-1);
  if (!invite) throw new Error('no INVITE came through');
  return invite;
}

/** A request of the dialog that our 200 made. */
function within(method: string, cseq: number, lines: readonly string[] = [], body = ''): string {
  const to = headerOf(
    heard.findLast((each) => each.kind === 'response' && each.status === 200) ?? lastResponse(),
    'To',
  );
  const branch = `Via: SIP/2.0/UDP 10.9.9.9;branch=z9hG4bK-${method}-${cseq};rport`;
  return rawRequest(method, [branch, `To: ${to}`, `CSeq: ${cseq} ${method}`, ...lines], body);
}

async function standing(lines: readonly string[] = [], body = OFFER): Promise<Dialog> {
  const accepted = (await incoming(lines, body)).accept(OURS);
  await clock.advance(50);
  await say(within('ACK', 1, body === '' ? [SDP_TYPE] : [], body === '' ? OFFER : ''));
  return accepted;
}

describe('a peer’s INVITE', () => {
  it('that came through a NAT is answered where it came from, and says so', async () => {
    await incoming(['Via: SIP/2.0/UDP 192.168.7.7:5099;branch=z9hG4bKnat;rport']);
    expect(headerOf(lastResponse(), 'Via')).toBe(
      'SIP/2.0/UDP 192.168.7.7:5099;branch=z9hG4bKnat;rport=5060;received=10.9.9.9',
    );
  });

  it('without an offer is given ours, and answered in the ACK', async () => {
    expect((await standing([], '')).remoteSdp).toBe(OFFER);
    expect(us.invites[0]?.sdp).toBeNull();
  });

  it('keeps its way in the answer: Record-Route, Contact, what we allow', async () => {
    await standing(['Record-Route: <sip:10.9.9.9;lr>, <sip:p2.example;lr>']);
    const ok = lastResponse();
    expect(headersOf(ok, 'Record-Route')).toEqual(['<sip:10.9.9.9;lr>, <sip:p2.example;lr>']);
    expect(headerOf(ok, 'Contact')).toBe('<sip:10.0.0.2:5060>');
    expect(headerOf(ok, 'Allow')).toContain('CANCEL');
    void us.core.hangUpAll();
    await clock.advance(50);
    const [bye] = requestsOf('BYE');
    expect(bye && headersOf(bye, 'Route')).toEqual(['<sip:10.9.9.9;lr>', '<sip:p2.example;lr>']);
    expect(bye?.uri).toBe('sip:caller@10.9.9.9');
  });

  it.each([
    ['an extension we don’t know', ['Require: 100rel, timer'], 420, ['Unsupported', '100rel']],
    [
      'another body than a description',
      ['Content-Type: application/isup'],
      415,
      ['Accept', 'application/sdp'],
    ],
  ])('with %s is refused', async (_what, lines, status, header) => {
    await say(rawRequest('INVITE', lines, 'body'));
    expect(us.invites).toEqual([]);
    expect(lastResponse().status).toBe(status);
    expect(headerOf(lastResponse(), header[0] ?? '')).toBe(header[1]);
  });

  it('that came here twice on different ways is refused the second time', async () => {
    await incoming();
    await say(rawRequest('INVITE', ['Via: SIP/2.0/UDP 10.9.9.9;branch=z9hG4bK-other;rport']));
    expect(lastResponse().status).toBe(482);
    expect(us.invites).toHaveLength(1);
    us.invites[0]?.reject(404, 'Not Found');
  });

  it('of RFC 2543, without a unique branch, is told from its repetition all the same', async () => {
    const old = ['Via: SIP/2.0/UDP 10.9.9.9;branch=1;rport'];
    await incoming(old);
    await incoming(old);
    expect(us.invites).toHaveLength(1);
    us.invites[0]?.reject(404, 'Not Found');
  });

  it('may be given up by BYE', async () => {
    const invite = await incoming();
    invite.ring();
    await clock.advance(50);
    const to = headerOf(lastResponse(), 'To');
    await say(rawRequest('BYE', [`To: ${to}`, 'CSeq: 2 BYE']));
    await invite.cancelled;
    expect(heard.map((each) => each.kind === 'response' && each.status)).toEqual(
      expect.arrayContaining([200, 487]),
    );
  });

  it('with a session timer is told to refresh it itself', async () => {
    await standing(['Session-Expires: 1800', 'Supported: timer']);
    expect(headerOf(lastResponse(), 'Session-Expires')).toBe('1800;refresher=uac');
    expect(headerOf(lastResponse(), 'Require')).toBe('timer');
  });
});

describe('within a dialog', () => {
  it('a new offer is answered by whoever has the media, or refused', async () => {
    const dialog = await standing();
    const offers: (string | null)[] = [];
    dialog.onReinvite({
      reoffer(sdp) {
        offers.push(sdp);
        return sdp === 'v=0\r\nno\r\n' ? null : 'v=0\r\nagain\r\n';
      },
      takeAnswer: (sdp) => offers.push(`answer ${sdp}`),
    });
    await say(within('INVITE', 2, [SDP_TYPE], 'v=0\r\nhold\r\n'));
    expect(lastResponse()).toMatchObject({ status: 200, body: 'v=0\r\nagain\r\n' });
    await say(within('ACK', 2));
    expect(dialog.remoteSdp).toBe('v=0\r\nhold\r\n');
    await say(within('INVITE', 3, [SDP_TYPE], 'v=0\r\nno\r\n'));
    expect(lastResponse().status).toBe(488);
    expect(dialog.remoteSdp).toBe('v=0\r\nhold\r\n');
    await say(within('INVITE', 4));
    expect(lastResponse()).toMatchObject({ status: 200, body: 'v=0\r\nagain\r\n' });
    await say(within('INVITE', 5));
    expect(lastResponse().status).toBe(491);
    await say(within('ACK', 4, [SDP_TYPE], 'v=0\r\nmine\r\n'));
    expect(offers).toEqual(['v=0\r\nhold\r\n', 'v=0\r\nno\r\n', null, 'answer v=0\r\nmine\r\n']);
    void dialog.bye();
  });

  it('a refresh without a new offer is confirmed, by UPDATE or INVITE, with the same description', async () => {
    const dialog = await standing();
    const timer = ['Session-Expires: 90;refresher=uac', 'Supported: timer'];
    await say(within('UPDATE', 2, timer));
    expect(lastResponse()).toMatchObject({ status: 200, body: '' });
    expect(headerOf(lastResponse(), 'Session-Expires')).toBe('90;refresher=uac');
    await say(within('INVITE', 3, [...timer, SDP_TYPE], OFFER));
    expect(lastResponse()).toMatchObject({ status: 200, body: OURS });
    await say(within('ACK', 3));
    void dialog.bye();
  });

  it('a peer that moved is hung up where it is now', async () => {
    const dialog = await standing();
    await say(within('UPDATE', 2, ['Contact: <sip:caller@10.9.9.9:5099>']));
    void dialog.bye();
    await clock.advance(50);
    expect(requestsOf('BYE')[0]?.uri).toBe('sip:caller@10.9.9.9:5099');
  });

  it('what is too old, unknown or of another dialog is refused', async () => {
    const dialog = await standing();
    await say(within('OPTIONS', 5));
    expect(lastResponse().status).toBe(200);
    await say(within('UPDATE', 4));
    expect(lastResponse().status).toBe(500);
    await say(within('INFO', 6));
    expect(lastResponse().status).toBe(405);
    await say(within('NOTIFY', 7));
    expect(lastResponse().status).toBe(481);
    await say(rawRequest('BYE', ['To: <sip:agent@10.0.0.2>;tag=other', 'CSeq: 9 BYE']));
    expect(lastResponse().status).toBe(481);
    await say(within('CANCEL', 10));
    expect(lastResponse().status).toBe(481);
    await say(within('BYE', 11));
    expect(await dialog.ended).toEqual({ by: 'remote' });
  });

  it('a transfer is asked for, and its progress heard', async () => {
    const dialog = await standing();
    const referred = dialog.refer('sip:other@example.test');
    await clock.advance(50);
    const refer = requestOf('REFER');
    expect(headerOf(refer, 'Refer-To')).toBe('<sip:other@example.test>');
    await say(answer(refer, '202 Accepted', ''));
    expect(await referred).toBe(true);
    await say(within('NOTIFY', 2, ['Event: refer']));
    expect(lastResponse().status).toBe(200);
    const again = dialog.refer('sip:other@example.test');
    await clock.advance(50);
    await say(answer(requestOf('REFER', 1), '481 Gone', ''));
    expect(await again).toBe(false);
    expect(await dialog.ended).toEqual({ by: 'lost' });
  });
});

describe('a call of ours', () => {
  function invite(credentials: { username: string; password: string } | null = null) {
    return us.core.invite({
      to: 'sip:x@10.9.9.9',
      from: 'sip:me@10.0.0.2',
      credentials,
      sdp: OURS,
      ringLimitMs: 60_000,
    });
  }

  it('that forks: the first that answers has it, the others are hung up', async () => {
    const call = invite();
    await clock.advance(50);
    const sent = requestOf('INVITE');
    const contact = (user: string): string[] => [`Contact: <sip:${user}@10.9.9.9>`];
    await say(answer(sent, '200 OK', 'one', contact('one'), OFFER));
    await say(answer(sent, '200 OK', 'two', contact('two'), OFFER));
    await say(answer(sent, '200 OK', 'two', contact('two'), OFFER));
    expect(requestsOf('ACK').map(({ uri }) => uri)).toEqual([
      'sip:one@10.9.9.9',
      'sip:two@10.9.9.9',
      'sip:two@10.9.9.9',
    ]);
    expect(requestsOf('BYE').map(({ uri }) => uri)).toEqual(['sip:two@10.9.9.9']);
    await say(answer(requestOf('BYE', 0), '200 OK', ''));
    expect(await call.answered).toMatchObject({ kind: 'answered', sdp: OFFER });
    void us.core.hangUpAll();
  });

  it('answers a proxy’s challenge and then the peer’s, BYE’s too, and shows no answer to the log', async () => {
    const call = invite({ username: 'alice', password: 'secret' });
    await clock.advance(50);
    const asks = 'Digest realm="r", nonce="n", qop="auth"';
    const sent = (): SipRequest => requestOf('INVITE');
    await say(answer(sent(), '407 Proxy', 'p', [`Proxy-Authenticate: ${asks}`]));
    expect(headerOf(sent(), 'CSeq')).toBe('2 INVITE');
    await say(answer(sent(), '401 Who', 'u', [`WWW-Authenticate: ${asks}, algorithm=SHA-256`]));
    expect(headerOf(sent(), 'Proxy-Authorization')).toMatch(/^Digest username="alice".*nc=00000002/u);
    expect(headerOf(sent(), 'Authorization')).toMatch(/response="[\da-f]{64}", algorithm=SHA-256/u);
    await say(answer(sent(), '200 OK', 't', ['Contact: <sip:x@10.9.9.9>'], OFFER));
    const answered = await call.answered;
    expect(headerOf(requestOf('ACK'), 'Proxy-Authorization')).not.toBeNull();
    if (answered.kind === 'answered') void answered.dialog.bye();
    await clock.advance(50);
    await say(answer(requestOf('BYE', 0), '407 Proxy', '', [`Proxy-Authenticate: ${asks}`]));
    expect(headerOf(requestOf('BYE', 1), 'Proxy-Authorization')).not.toBeNull();
    await say(answer(requestOf('BYE', 1), '200 OK', ''));
    expect(us.messages.map(({ text }) => text).join('')).not.toContain('alice');
  });

  it('with wrong credentials, or none, is refused', async () => {
    const wrong = invite({ username: 'alice', password: 'wrong' });
    await clock.advance(50);
    for (let i = 0; i < 2; i += 1) {
      const lines = ['WWW-Authenticate: Digest realm="r", nonce="n"'];
      await say(answer(requestOf('INVITE'), '401 Who', 't', lines));
    }
    expect(await wrong.answered).toMatchObject({ kind: 'failed', cause: 'refused', status: 401 });
    expect(requestsOf('INVITE')).toHaveLength(2);
  });

  it.each([
    ['sip:y@10.9.9.9:5062', 2],
    ['sip:premium@10.8.8.8', 1],
  ])('sent on to %s is tried %i times in all', async (contact, tries) => {
    const call = invite();
    await clock.advance(50);
    for (let i = 0; i < 2; i += 1) {
      const sent = requestOf('INVITE');
      await say(answer(sent, '302 Moved', 't', [`Contact: <${contact}>`]));
    }
    expect(await call.answered).toMatchObject({ kind: 'failed', cause: 'refused', status: 302 });
    expect(new Set(requestsOf('INVITE').map(({ uri }) => uri)).size).toBe(tries);
  });

  it('answered without a description is hung up', async () => {
    const call = invite();
    await clock.advance(50);
    await say(answer(requestOf('INVITE', 0), '200 OK', 't'));
    expect(await call.answered).toMatchObject({ kind: 'failed', cause: 'faulty' });
    expect(requestsOf('BYE')).toHaveLength(1);
    await say(answer(requestOf('BYE', 0), '200 OK', ''));
  });
});

describe('what belongs to no call', () => {
  it.each([
    ['OPTIONS', 200],
    ['REGISTER', 405],
    ['SUBSCRIBE', 405],
    ['FROB', 501],
    ['BYE', 481],
    ['CANCEL', 481],
  ])('%s is answered %i, always alike, and nothing is kept of it', async (method, status) => {
    await say(rawRequest(method));
    await say(rawRequest(method));
    expect(heard).toHaveLength(2);
    expect(heard[0]).toEqual(heard[1]);
    expect(lastResponse().status).toBe(status);
    expect(clock.pendingTimers).toBe(0);
    expect(us.messages).toEqual([]);
  });

  it('is answered so often and no more', async () => {
    for (let i = 0; i < 100; i += 1) {
      network.send(rawRequest('OPTIONS', [`Call-ID: scan-${i}`]), '10.9.9.9', '10.0.0.2');
    }
    await clock.advance(100);
    expect(heard).toHaveLength(20);
    await clock.advance(5000);
    for (let i = 0; i < 100; i += 1) {
      const via = `Via: SIP/2.0/UDP 10.9.9.9;branch=z9hG4bK-${i};rport`;
      network.send(rawRequest('INVITE', [`Call-ID: call-${i}`, via]), '10.9.9.9', '10.0.0.2');
    }
    await clock.advance(100);
    expect(us.invites).toHaveLength(5);
    for (const each of us.invites) each.reject(404, 'Not Found');
  });

  it.each([
    '',
    '\r\n\r\n',
    'hello',
    'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    'SIP/2.0 200 OK\r\n\r\n',
    rawRequest('ACK'),
  ])('%j gets no answer', async (text) => {
    await say(text);
    await say(rawRequest('OPTIONS', ['Call-ID: ', 'From: <sip:x>;tag=1']));
    await say(
      answer(
        {
          kind: 'request',
          method: 'INVITE',
          uri: '',
          headers: [
            ['Via', 'SIP/2.0/UDP 10.0.0.2:5060;branch=z9hG4bKforged'],
            ['From', '<sip:a@b>;tag=1'],
            ['To', '<sip:a@b>'],
            ['Call-ID', 'x'],
            ['CSeq', '1 INVITE'],
          ],
          body: '',
        },
        '200 OK',
        't',
      ),
    );
    expect(heard).toEqual([]);
  });

  it('is refused where there are too many transactions', async () => {
    const busy = simulatedEndpoint(network, clock, '10.0.0.2', { transactions: 1 });
    await say(rawRequest('INVITE'));
    await say(rawRequest('INVITE', ['Call-ID: second', 'Via: SIP/2.0/UDP 10.9.9.9;branch=z9hG4bK-2;rport']));
    expect(lastResponse()).toMatchObject({ status: 503 });
    expect(headerOf(lastResponse(), 'Retry-After')).toBe('5');
    expect(busy.invites).toHaveLength(1);
    busy.invites[0]?.reject(404, 'Not Found');
  });
});
