import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { headerOf } from '../message/headers.ts';
import type { SipRequest } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import { answerTo, OFFER, OURS, RawPeer, SDP_TYPE } from '../testing/raw-peer.ts';
import { rawRequest } from '../testing/simulated-network.ts';

let peer: RawPeer;

beforeEach(() => {
  peer = new RawPeer();
});

afterEach(() => peer.expectNothingLeft());

describe('outgoing call through an outbound proxy', () => {
  it('is sent to the proxy as a loose route', async () => {
    const call = await peer.call({ to: 'sip:x@pbx.example.test', outboundProxy: '203.0.113.9:5060' });
    const sent = peer.requestOf('INVITE');
    expect([sent.uri, headerOf(sent, 'Route')]).toEqual([
      'sip:x@pbx.example.test',
      '<sip:203.0.113.9:5060;lr>',
    ]);
    call.cancel();
    await peer.say(answerTo(sent, '486 Busy Here'));
    expect(headerOf(peer.requestOf('ACK'), 'Route')).toBe('<sip:203.0.113.9:5060;lr>');
  });

  it('fails if the address of the proxy is malformed', async () => {
    const call = await peer.call({ to: 'sip:x@pbx.example.test', outboundProxy: 'two words' });
    expect(await call.answered).toMatchObject({ kind: 'failed', cause: 'unreachable' });
  });
});

describe('outgoing call', () => {
  it('that forks is established with the first branch that answers; other branches are hung up', async () => {
    const call = await peer.call();
    const sent = peer.requestOf('INVITE');
    const contact = (user: string): string[] => [`Contact: <sip:${user}@203.0.113.9>`];
    await peer.say(answerTo(sent, '200 OK', { tag: 'one', lines: contact('one'), body: OFFER }));
    await peer.say(answerTo(sent, '200 OK', { tag: 'two', lines: contact('two'), body: OFFER }));
    await peer.say(answerTo(sent, '200 OK', { tag: 'two', lines: contact('two'), body: OFFER }));
    expect(peer.requestsOf('ACK').map(({ uri }) => uri)).toEqual([
      'sip:one@203.0.113.9',
      'sip:two@203.0.113.9',
      'sip:two@203.0.113.9',
    ]);
    expect(peer.requestsOf('BYE').map(({ uri }) => uri)).toEqual(['sip:two@203.0.113.9']);
    await peer.say(answerTo(peer.requestOf('BYE', 0), '200 OK'));
    expect(await call.answered).toMatchObject({ kind: 'answered', sdp: OFFER });
    void peer.us.core.hangUpAll();
  });

  describe('that is not answered yet', () => {
    const NEXT = 'v=0\r\no=moved\r\n';
    let offers: (string | null)[];

    /** A call for which the peer has sent 183 with these headers. */
    async function early(lines: readonly string[] = []) {
      offers = [];
      const call = await peer.call({
        reoffer: (offer) => {
          offers.push(offer);
          return OURS;
        },
      });
      const sent = peer.requestOf('INVITE');
      const contact = 'Contact: <sip:x@203.0.113.9>';
      await peer.say(answerTo(sent, '183 Progress', { lines: [contact, ...lines], body: OFFER }));
      const [to, from] = [headerOf(sent, 'From'), `${headerOf(sent, 'To')};tag=peer`];
      const dialog = [`To: ${to}`, `From: ${from}`, `Call-ID: ${headerOf(sent, 'Call-ID')}`, contact];
      const update = (cseq: number, body = ''): string =>
        rawRequest(
          'UPDATE',
          [...dialog, `CSeq: ${cseq} UPDATE`, ...(body === '' ? [] : [SDP_TYPE])],
          body,
        ).replaceAll('raw-UPDATE', `raw-UPDATE${cseq}`);
      const answer = () => answerTo(sent, '200 OK', { lines: [contact], body: OFFER });
      return { call, sent, update, answer };
    }

    it('accepts UPDATE without an offer, and responds 491 to one with an offer while its own offer is pending', async () => {
      const { call, sent, update } = await early();
      await peer.say(update(1));
      expect([peer.lastResponse().status, headerOf(peer.lastResponse(), 'Contact')]).toEqual([
        200,
        '<sip:10.0.0.2:5060>',
      ]);
      await peer.say(update(2, NEXT));
      expect([peer.lastResponse().status, offers]).toEqual([491, []]);
      call.cancel();
      await peer.say(answerTo(sent, '487 Request Terminated'));
      await peer.say(update(3));
      expect(peer.lastResponse().status).toBe(481);
      await peer.say(answerTo(peer.requestOf('CANCEL'), '200 OK'));
    });

    it('uses the descriptions of the branch that answers, not those of other forked branches', async () => {
      const { call, sent, update } = await early(['Require: 100rel', 'RSeq: 7']);
      await peer.say(answerTo(peer.requestOf('PRACK'), '200 OK'), update(1, NEXT));
      const other = { tag: 'other', lines: ['Contact: <sip:other@203.0.113.9>'] };
      await peer.say(answerTo(sent, '183 Progress', { ...other, body: 'v=0\r\no=other\r\n' }));
      await peer.say(answerTo(sent, '183 Progress', { tag: 'third', body: OFFER }));
      await peer.say(answerTo(sent, '200 OK', other));
      const answered = await call.answered;
      expect(answered).toMatchObject({ kind: 'answered', sdp: 'v=0\r\no=other\r\n' });
      if (answered.kind === 'answered') void answered.dialog.bye();
    });

    it('accepts an offer in UPDATE after a reliable provisional answer, and uses it for the call', async () => {
      const { call, update, answer } = await early(['Require: 100rel', 'RSeq: 7']);
      await peer.say(answerTo(peer.requestOf('PRACK'), '200 OK'), update(1, NEXT));
      expect([peer.lastResponse().status, peer.lastResponse().body, offers]).toEqual([200, OURS, [NEXT]]);
      await peer.say(answer());
      const answered = await call.answered;
      expect(answered).toMatchObject({ kind: 'answered', sdp: NEXT });
      if (answered.kind === 'answered') void answered.dialog.bye();
    });
  });

  it('authenticates at a proxy, at the peer and for BYE, and logs no credentials', async () => {
    const call = await peer.call({ credentials: { username: 'alice', password: 'secret' } });
    const asks = 'Digest realm="r", nonce="n", qop="auth"';
    const sent = (): SipRequest => peer.requestOf('INVITE');
    await peer.say(answerTo(sent(), '407 Proxy', { lines: [`Proxy-Authenticate: ${asks}`] }));
    expect(headerOf(sent(), 'CSeq')).toBe('2 INVITE');
    await peer.say(answerTo(sent(), '401 Who', { lines: [`WWW-Authenticate: ${asks}, algorithm=SHA-256`] }));
    expect(headerOf(sent(), 'Proxy-Authorization')).toMatch(/^Digest username="alice".*nc=00000002/u);
    expect(headerOf(sent(), 'Authorization')).toMatch(/response="[\da-f]{64}", algorithm=SHA-256/u);
    await peer.say(
      answerTo(sent(), '200 OK', { tag: 't', lines: ['Contact: <sip:x@203.0.113.9>'], body: OFFER }),
    );
    const answered = await call.answered;
    expect(headerOf(peer.requestOf('ACK'), 'Proxy-Authorization')).not.toBeNull();
    if (answered.kind === 'answered') void answered.dialog.bye();
    await peer.clock.advance(50);
    await peer.say(
      answerTo(peer.requestOf('BYE', 0), '407 Proxy', { lines: [`Proxy-Authenticate: ${asks}`] }),
    );
    expect(headerOf(peer.requestOf('BYE', 1), 'Proxy-Authorization')).not.toBeNull();
    await peer.say(answerTo(peer.requestOf('BYE', 1), '200 OK'));
    expect(peer.us.messages.map(({ text }) => text).join('')).not.toContain('alice');
  });

  it('fails with 401 when the peer rejects the credentials', async () => {
    const wrong = await peer.call({ credentials: { username: 'alice', password: 'wrong' } });
    for (let i = 0; i < 2; i += 1) {
      const lines = ['WWW-Authenticate: Digest realm="r", nonce="n"'];
      await peer.say(answerTo(peer.requestOf('INVITE'), '401 Who', { lines }));
    }
    expect(await wrong.answered).toMatchObject({ kind: 'failed', cause: 'refused', status: 401 });
    expect(peer.requestsOf('INVITE')).toHaveLength(2);
  });

  it.each([
    ['sip:y@203.0.113.9:5062', 2],
    ['sip:premium@10.8.8.8', 1],
  ])('that is redirected to %s is sent to %i URIs in total', async (contact, tries) => {
    const call = await peer.call();
    for (let i = 0; i < 2; i += 1) {
      const sent = peer.requestOf('INVITE');
      await peer.say(answerTo(sent, '302 Moved', { lines: [`Contact: <${contact}>`] }));
    }
    expect(await call.answered).toMatchObject({ kind: 'failed', cause: 'refused', status: 302 });
    expect(new Set(peer.requestsOf('INVITE').map(({ uri }) => uri)).size).toBe(tries);
  });

  it('sends the header fields of its options', async () => {
    const call = await peer.call({
      headers: [
        ['P-Asserted-Identity', '<sip:+4930@example.com>'],
        ['Privacy', 'id'],
      ],
    });
    const sent = peer.requestOf('INVITE');
    expect(headerOf(sent, 'P-Asserted-Identity')).toBe('<sip:+4930@example.com>');
    expect(headerOf(sent, 'Privacy')).toBe('id');
    call.cancel();
  });

  it('is hung up if the 200 response has no description', async () => {
    const call = await peer.call();
    await peer.say(answerTo(peer.requestOf('INVITE', 0), '200 OK'));
    expect(await call.answered).toMatchObject({ kind: 'failed', cause: 'unusable' });
    expect(peer.requestsOf('BYE')).toHaveLength(1);
    await peer.say(answerTo(peer.requestOf('BYE', 0), '200 OK'));
  });

  it('uses the description of a provisional response if the 2xx has none', async () => {
    const call = await peer.call();
    await peer.say(answerTo(peer.requestOf('INVITE'), '183 Session Progress', { body: OFFER }));
    await peer.say(answerTo(peer.requestOf('INVITE'), '200 OK'));
    const answer = await call.answered;
    if (answer.kind !== 'answered') throw new Error(answer.reason);
    expect(answer.sdp).toBe(OFFER);
    void answer.dialog.bye();
    await peer.clock.advance(50);
    await peer.say(answerTo(peer.requestOf('BYE'), '200 OK'));
  });

  it('acknowledges reliable provisional responses once and in order', async () => {
    const call = await peer.call();
    const sent = peer.requestOf('INVITE');
    expect(headerOf(sent, 'Supported')).toContain('100rel');
    const ringing = (rseq: number, tag = 'one'): string =>
      answerTo(sent, '183 Session Progress', {
        tag,
        lines: ['Require: 100rel', `RSeq: ${rseq}`, 'Contact: <sip:one@203.0.113.9>'],
        body: OFFER,
      });
    await peer.say(ringing(7), ringing(7), ringing(9), ringing(8), ringing(70, 'two'));
    const racks = peer.requestsOf('PRACK').map((prack) => [headerOf(prack, 'CSeq'), headerOf(prack, 'RAck')]);
    expect(racks).toEqual([
      ['2 PRACK', '7 1 INVITE'],
      ['3 PRACK', '8 1 INVITE'],
      ['4 PRACK', '70 1 INVITE'],
    ]);
    expect(peer.requestOf('PRACK').uri).toBe('sip:one@203.0.113.9');
    for (const prack of peer.requestsOf('PRACK')) await peer.say(answerTo(prack, '200 OK'));
    await peer.say(answerTo(sent, '200 OK', { tag: 'one' }));
    const answer = await call.answered;
    if (answer.kind !== 'answered') throw new Error(answer.reason);
    expect(answer.sdp).toBe(OFFER);
    void answer.dialog.bye();
    await peer.clock.advance(50);
    expect(headerOf(peer.requestOf('BYE'), 'CSeq')).toBe('5 BYE');
    await peer.say(answerTo(peer.requestOf('BYE'), '200 OK'));
  });

  it('tries the next address of a host if the first responds 503', async () => {
    const call = await peer.call({ to: 'sip:x@trunk.test' });
    await peer.say(answerTo(peer.requestOf('INVITE'), '503 Busy'));
    expect(peer.network.sent.filter((each) => each.endsWith('INVITE'))).toEqual([
      '10.0.0.2→203.0.113.9 INVITE',
      '203.0.113.9→10.0.0.2 503 INVITE',
      '10.0.0.2→203.0.113.10 INVITE',
    ]);
    call.cancel();
  });

  it('tries the next address of a host if one does not respond, and cancels the first when it responds late', async () => {
    const call = await peer.call({ to: 'sip:x@trunk.test' });
    await peer.clock.advance(3900);
    expect(peer.network.count('10.0.0.2→203.0.113.10 INVITE')).toBe(0);
    await peer.clock.advance(100);
    expect(peer.network.count('10.0.0.2→203.0.113.10 INVITE')).toBe(1);
    await peer.say(answerTo(peer.requestOf('INVITE', 0), '180 Ringing'));
    expect(peer.requestsOf('CANCEL')).toHaveLength(1);
    await peer.say(answerTo(peer.requestOf('CANCEL'), '200 OK'));
    await peer.say(answerTo(peer.requestOf('INVITE', 0), '487 Request Terminated'));
    call.cancel();
    expect(await call.answered).toMatchObject({ cause: 'cancelled' });
  });

  it('is established with an address that answers late, and cancels the next one', async () => {
    const next: SipRequest[] = [];
    peer.network.attach('203.0.113.10', (bytes) => {
      const message = parseMessage(bytes);
      if (message?.kind === 'request') next.push(message);
    });
    const call = await peer.call({ to: 'sip:x@trunk.test' });
    await peer.clock.advance(4050);
    const [second] = next;
    if (!second) throw new Error('no second INVITE');
    peer.network.send(answerTo(second, '180 Ringing'), '203.0.113.10', '10.0.0.2');
    await peer.clock.advance(50);
    await peer.say(answerTo(peer.requestOf('INVITE', 0), '200 OK', { tag: 'late', body: OFFER }));
    expect(next.map(({ method }) => method)).toEqual(['INVITE', 'CANCEL']);
    const answer = await call.answered;
    if (answer.kind !== 'answered') throw new Error(answer.reason);
    void answer.dialog.bye();
    await peer.clock.advance(50);
    await peer.say(answerTo(peer.requestOf('BYE'), '200 OK'));
  });

  it('divides a short ring limit among the addresses of a host', async () => {
    const call = await peer.call({ to: 'sip:x@trunk.test', ringLimitMs: 3000 });
    await peer.clock.advance(1550);
    expect(peer.network.count('10.0.0.2→203.0.113.10 INVITE')).toBe(1);
    await peer.clock.advance(1400);
    expect(await call.answered).toMatchObject({ cause: 'noAnswer' });
  });
});
