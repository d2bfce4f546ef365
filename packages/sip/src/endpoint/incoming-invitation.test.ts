import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { headerOf, headersOf } from '../message/headers.ts';
import { OFFER, OURS, RawPeer, SDP_TYPE } from '../testing/raw-peer.ts';
import { rawRequest } from '../testing/simulated-network.ts';

let peer: RawPeer;

beforeEach(() => {
  peer = new RawPeer();
});

afterEach(() => peer.expectNothingLeft());

describe('incoming INVITE', () => {
  it('has received and rport in the Via of its response when it arrives through a NAT', async () => {
    await peer.invite(['Via: SIP/2.0/UDP 192.168.7.7:5099;branch=z9hG4bKnat;rport']);
    expect(headerOf(peer.lastResponse(), 'Via')).toBe(
      'SIP/2.0/UDP 192.168.7.7:5099;branch=z9hG4bKnat;rport=5060;received=203.0.113.9',
    );
  });

  it.each([
    ['sip:+4930123456;npdi;rn=+4930000@10.0.0.2;user=phone', '+4930123456'],
    ['sip:+4930123456:secret@10.0.0.2', '+4930123456'],
    ['tel:+4930123456;npdi', '+4930123456'],
    ['sip:alice;day=tuesday@10.0.0.2', 'alice;day=tuesday'],
  ])('has the user of the URI without the parameters of a phone number: %s', async (uri, user) => {
    const invite = await peer.invite([`To: <${uri}>`]);
    expect(invite.to.user).toBe(user);
    invite.reject(486, 'Busy Here');
    await peer.say(peer.within('ACK', 1));
  });

  it('without an offer receives one in the 200 response, and answers it in the ACK', async () => {
    expect((await peer.standing([], '')).remoteSdp).toBe(OFFER);
    expect(peer.us.invites[0]?.sdp).toBeNull();
  });

  it('is answered with its Record-Route, a Contact and Allow, and its dialog uses that route set', async () => {
    await peer.standing(['Record-Route: <sip:203.0.113.9;lr>, <sip:p2.example;lr>']);
    const ok = peer.lastResponse();
    expect(headersOf(ok, 'Record-Route')).toEqual(['<sip:203.0.113.9;lr>, <sip:p2.example;lr>']);
    expect(headerOf(ok, 'Contact')).toBe('<sip:10.0.0.2:5060>');
    expect(headerOf(ok, 'Allow')).toContain('CANCEL');
    void peer.us.core.hangUpAll();
    await peer.clock.advance(50);
    const [bye] = peer.requestsOf('BYE');
    expect(bye && headersOf(bye, 'Route')).toEqual(['<sip:203.0.113.9;lr>', '<sip:p2.example;lr>']);
    expect(bye?.uri).toBe('sip:caller@203.0.113.9');
  });

  it.each([
    [
      'an unsupported required extension',
      ['Require: 100rel, precondition'],
      420,
      ['Unsupported', 'precondition'],
    ],
    ['a body other than SDP', ['Content-Type: application/isup'], 415, ['Accept', 'application/sdp']],
  ])('is rejected if it has %s', async (_what, lines, status, header) => {
    await peer.say(rawRequest('INVITE', lines, 'body'));
    expect(peer.us.invites).toEqual([]);
    expect(peer.lastResponse().status).toBe(status);
    expect(headerOf(peer.lastResponse(), header[0] ?? '')).toBe(header[1]);
  });

  it('is rejected with 482 when it arrives again on another path', async () => {
    await peer.invite();
    await peer.say(rawRequest('INVITE', ['Via: SIP/2.0/UDP 203.0.113.9;branch=z9hG4bK-other;rport']));
    expect(peer.lastResponse().status).toBe(482);
    expect(peer.us.invites).toHaveLength(1);
    peer.us.invites[0]?.reject(404, 'Not Found');
  });

  it('is recognized as a retransmission when its RFC 2543 branch is not unique', async () => {
    const via = ['Via: SIP/2.0/UDP 203.0.113.9;branch=1;rport'];
    await peer.invite(via);
    await peer.invite(via);
    expect(peer.us.invites).toHaveLength(1);
    peer.us.invites[0]?.reject(404, 'Not Found');
  });

  it('can be cancelled by BYE before it is answered', async () => {
    const invite = await peer.invite();
    invite.ring();
    await peer.clock.advance(50);
    const to = headerOf(peer.lastResponse(), 'To');
    await peer.say(rawRequest('BYE', [`To: ${to}`, 'CSeq: 2 BYE']));
    await invite.cancelled;
    expect(peer.received.map((each) => each.kind === 'response' && each.status)).toEqual(
      expect.arrayContaining([200, 487]),
    );
  });

  it('can be followed by an early UPDATE without an offer, which can change the Contact', async () => {
    const invite = await peer.invite();
    invite.ring();
    await peer.clock.advance(50);
    const update = (cseq: number, lines: readonly string[] = [], body = ''): string =>
      rawRequest(
        'UPDATE',
        [`To: ${headerOf(ringing, 'To')}`, `CSeq: ${cseq} UPDATE`, ...lines],
        body,
      ).replaceAll('raw-UPDATE', `raw-UPDATE${cseq}`);
    const ringing = peer.lastResponse();
    await peer.say(update(2, ['Contact: <sip:moved@203.0.113.9>']));
    expect([peer.lastResponse().status, headerOf(peer.lastResponse(), 'Contact')]).toEqual([
      200,
      '<sip:10.0.0.2:5060>',
    ]);
    await peer.say(update(3, [SDP_TYPE], OFFER));
    expect([peer.lastResponse().status, headerOf(peer.lastResponse(), 'Retry-After')]).toEqual([500, '1']);
    const accepted = invite.accept(OURS);
    await peer.clock.advance(50);
    await peer.say(peer.within('ACK', 1));
    void (await accepted).bye();
    await peer.clock.advance(50);
    expect(peer.requestOf('BYE').uri).toBe('sip:moved@203.0.113.9');
  });

  it('counts as cancelled when the peer hangs up before its ACK arrives', async () => {
    const accepted = (await peer.invite()).accept(OURS);
    const cancelled = expect(accepted).rejects.toMatchObject({ code: 'call_cancelled' });
    await peer.clock.advance(50);
    await peer.say(peer.within('BYE', 2));
    await cancelled;
    expect([peer.lastResponse().status, peer.requestsOf('BYE')]).toEqual([200, []]);
  });

  describe('that requires reliable provisional responses', () => {
    const REQUIRE = ['Require: 100rel'];

    function prack(rack: string): string {
      const to = headerOf(peer.lastResponse(), 'To');
      return rawRequest('PRACK', [`To: ${to}`, 'CSeq: 2 PRACK', `RAck: ${rack}`]);
    }

    it('repeats 180 until the PRACK arrives', async () => {
      const invite = await peer.invite(REQUIRE);
      invite.ring();
      await peer.clock.advance(50);
      const rseq = headerOf(peer.lastResponse(), 'RSeq');
      expect(headerOf(peer.lastResponse(), 'Require')).toBe('100rel');
      await peer.clock.advance(1500);
      expect(peer.network.count('10.0.0.2→203.0.113.9 180 INVITE')).toBe(3);
      await peer.say(prack(`${rseq} 2 INVITE`));
      expect(peer.lastResponse().status).toBe(481);
      await peer.say(prack(`${rseq}  1 INVITE`).replaceAll('raw-PRACK', 'second'));
      expect(peer.lastResponse().status).toBe(200);
      await peer.clock.advance(10_000);
      expect(peer.network.count('10.0.0.2→203.0.113.9 180 INVITE')).toBe(3);
      invite.reject(486, 'Busy Here');
    });

    it('can be accepted before the PRACK arrives, which then receives 200', async () => {
      const invite = await peer.invite(REQUIRE);
      invite.ring();
      await peer.clock.advance(50);
      const rseq = headerOf(peer.lastResponse(), 'RSeq');
      const accepted = invite.accept(OURS);
      await peer.clock.advance(50);
      await peer.say(peer.within('ACK', 1));
      await peer.say(prack(`${rseq} 1 INVITE`));
      expect(peer.lastResponse().status).toBe(200);
      void (await accepted).bye();
    });

    it('fails with 504 if no PRACK arrives', async () => {
      const invite = await peer.invite(REQUIRE);
      invite.ring();
      await peer.clock.advance(33_000);
      await invite.cancelled;
      expect(peer.lastResponse().status).toBe(504);
    });

    it('receives no provisional response except 100 if it has no offer', async () => {
      const invite = await peer.invite(REQUIRE, '');
      invite.ring();
      await peer.clock.advance(50);
      expect(peer.lastResponse().status).toBe(100);
      invite.reject(486, 'Busy Here');
    });
  });

  it('makes the peer the refresher when it requests a session timer', async () => {
    const dialog = await peer.standing(['Session-Expires: 1800', 'Supported: timer']);
    expect(headerOf(peer.lastResponse(), 'Session-Expires')).toBe('1800;refresher=uac');
    expect(headerOf(peer.lastResponse(), 'Require')).toBe('timer');
    void dialog.bye();
  });

  it('is rejected with 422 if its session interval is too short', async () => {
    await peer.say(rawRequest('INVITE', ['Session-Expires: 89', 'Supported: timer']));
    expect(peer.lastResponse()).toMatchObject({ status: 422, reason: 'Session Interval Too Small' });
    expect(headerOf(peer.lastResponse(), 'Min-SE')).toBe('90');
    expect(peer.us.invites).toEqual([]);
  });
});
