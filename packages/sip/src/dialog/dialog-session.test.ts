import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Dialog, IncomingInvite, PeerReferral } from '../calls.ts';
import { headerOf } from '../message/headers.ts';
import { FIRST_REPORT_LIMIT_MS, RESULT_LIMIT_MS } from './referral.ts';
import { answerTo, OFFER, OURS, RawPeer, SDP_TYPE } from '../testing/raw-peer.ts';
import { rawRequest } from '../testing/simulated-network.ts';

let peer: RawPeer;

beforeEach(() => {
  peer = new RawPeer();
});

afterEach(() => peer.expectNothingLeft());

describe('DialogSession', () => {
  it('passes a new offer to the re-INVITE handler, and responds 488 when the handler rejects it', async () => {
    const dialog = await peer.standing();
    const offers: (string | null)[] = [];
    dialog.onReinvite({
      reoffer(sdp) {
        offers.push(sdp);
        return sdp === 'v=0\r\nno\r\n' ? null : 'v=0\r\nagain\r\n';
      },
      takeAnswer: (sdp) => offers.push(`answer ${sdp}`),
    });
    await peer.say(peer.within('INVITE', 2, [SDP_TYPE], 'v=0\r\nhold\r\n'));
    expect(peer.lastResponse()).toMatchObject({ status: 200, body: 'v=0\r\nagain\r\n' });
    await peer.say(peer.within('ACK', 2));
    expect(dialog.remoteSdp).toBe('v=0\r\nhold\r\n');
    await peer.say(peer.within('INVITE', 3, [SDP_TYPE], 'v=0\r\nno\r\n'));
    expect(peer.lastResponse().status).toBe(488);
    expect(dialog.remoteSdp).toBe('v=0\r\nhold\r\n');
    await peer.say(peer.within('INVITE', 4));
    expect(peer.lastResponse()).toMatchObject({ status: 200, body: 'v=0\r\nagain\r\n' });
    await peer.say(peer.within('INVITE', 5));
    expect(peer.lastResponse().status).toBe(491);
    await peer.say(peer.within('ACK', 4, [SDP_TYPE], 'v=0\r\nmine\r\n'));
    expect(offers).toEqual(['v=0\r\nhold\r\n', 'v=0\r\nno\r\n', null, 'answer v=0\r\nmine\r\n']);
    void dialog.bye();
  });

  it('waits for the ACK of a re-INVITE when a late copy of an earlier ACK arrives', async () => {
    const dialog = await peer.standing();
    const answers: string[] = [];
    dialog.onReinvite({ reoffer: () => 'v=0\r\nagain\r\n', takeAnswer: (sdp) => answers.push(sdp) });
    await peer.say(peer.within('INVITE', 2), peer.within('ACK', 1));
    await peer.say(peer.within('ACK', 2, [SDP_TYPE], 'v=0\r\nmine\r\n'));
    expect(answers).toEqual(['v=0\r\nmine\r\n']);
    void dialog.bye();
  });

  it('continues with the previous description if the ACK lacks the answer to a local offer', async () => {
    const dialog = await peer.standing();
    const answers: string[] = [];
    dialog.onReinvite({ reoffer: () => OURS, takeAnswer: (sdp) => answers.push(sdp) });
    await peer.say(peer.within('INVITE', 2));
    await peer.say(peer.within('ACK', 2));
    expect(answers).toEqual([]);
    expect(dialog.remoteSdp).toBe(OFFER);
    await peer.say(peer.within('UPDATE', 3, [SDP_TYPE], OFFER));
    expect(peer.lastResponse().status).toBe(200);
    void dialog.bye();
  });

  it('confirms a session refresh by UPDATE, or by re-INVITE with an unchanged description', async () => {
    const dialog = await peer.standing();
    const timer = ['Session-Expires: 90;refresher=uac', 'Supported: timer'];
    await peer.say(peer.within('UPDATE', 2, timer));
    expect(peer.lastResponse()).toMatchObject({ status: 200, body: '' });
    expect(headerOf(peer.lastResponse(), 'Session-Expires')).toBe('90;refresher=uac');
    await peer.say(peer.within('INVITE', 3, [...timer, SDP_TYPE], OFFER));
    expect(peer.lastResponse()).toMatchObject({ status: 200, body: OURS });
    await peer.say(peer.within('ACK', 3));
    void dialog.bye();
  });

  it('reports the DTMF digits of INFO requests, and rejects other content types with 415', async () => {
    const dialog = await peer.standing();
    const keys: string[] = [];
    dialog.handle({ onKey: (key) => keys.push(key), onRefer: () => undefined, onReplaced: () => undefined });
    const info = (cseq: number, type: string, body: string): Promise<void> =>
      peer.say(peer.within('INFO', cseq, [`Content-Type: application/${type}`], body));
    await info(2, 'dtmf-relay', 'Signal=5\r\nDuration=160\r\n');
    await info(3, 'dtmf-relay', 'Signal= #\nDuration= 250\n');
    await info(4, 'dtmf', '10');
    await info(5, 'DTMF; charset=x', ' d\r\n');
    await info(6, 'dtmf-relay', 'Signal=!\r\n');
    await peer.say(peer.within('INFO', 7));
    expect(peer.lastResponse().status).toBe(200);
    expect(keys).toEqual(['5', '#', '*', 'D']);
    await info(8, 'media_control+xml', '<x/>');
    expect(peer.lastResponse().status).toBe(415);
    expect(headerOf(peer.lastResponse(), 'Accept')).toBe('application/dtmf-relay, application/dtmf');
    void dialog.bye();
  });

  it('sends INFO and returns whether the peer accepts it', async () => {
    const dialog = await peer.standing();
    for (const [status, isAccepted] of [
      ['200 OK', true],
      ['415 No', false],
    ] as const) {
      const sent = dialog.info('application/dtmf-relay', 'Signal=1\r\nDuration=160\r\n');
      await peer.clock.advance(50);
      const info = peer.requestOf('INFO');
      expect(info.body).toBe('Signal=1\r\nDuration=160\r\n');
      expect(headerOf(info, 'Content-Type')).toBe('application/dtmf-relay');
      await peer.say(answerTo(info, status));
      expect(await sent).toBe(isAccepted);
    }
    void dialog.bye();
  });

  it('sends BYE to the new Contact after the peer has changed it by UPDATE', async () => {
    const dialog = await peer.standing();
    await peer.say(peer.within('UPDATE', 2, ['Contact: <sip:caller@203.0.113.9:5099>']));
    void dialog.bye();
    await peer.clock.advance(50);
    expect(peer.requestsOf('BYE')[0]?.uri).toBe('sip:caller@203.0.113.9:5099');
  });

  it('rejects requests that are out of order, unsupported or from another dialog', async () => {
    const dialog = await peer.standing();
    await peer.say(peer.within('OPTIONS', 5));
    expect(peer.lastResponse().status).toBe(200);
    await peer.say(peer.within('UPDATE', 4));
    expect(peer.lastResponse().status).toBe(500);
    await peer.say(peer.within('MESSAGE', 6));
    expect(peer.lastResponse().status).toBe(405);
    await peer.say(peer.within('NOTIFY', 7));
    expect(peer.lastResponse().status).toBe(481);
    await peer.say(rawRequest('BYE', ['To: <sip:agent@10.0.0.2>;tag=other', 'CSeq: 9 BYE']));
    expect(peer.lastResponse().status).toBe(481);
    await peer.say(peer.within('CANCEL', 10));
    expect(peer.lastResponse().status).toBe(481);
    await peer.say(peer.within('BYE', 11));
    expect(await dialog.ended).toEqual({ by: 'remote' });
  });

  it('rejects requests that require an unknown extension with 420, except BYE', async () => {
    const dialog = await peer.standing();
    const required = ['Require: timer, Foo, bar'];
    await peer.say(peer.within('INVITE', 2, [...required, SDP_TYPE], OFFER));
    expect(peer.lastResponse().status).toBe(420);
    expect(headerOf(peer.lastResponse(), 'Unsupported')).toBe('Foo, bar');
    await peer.say(
      rawRequest('ACK', [
        `To: ${headerOf(peer.lastResponse(), 'To')}`,
        'CSeq: 2 ACK',
        'Via: SIP/2.0/UDP 203.0.113.9;branch=z9hG4bK-INVITE-2;rport',
      ]),
    );
    await peer.say(peer.within('UPDATE', 3, required));
    expect(peer.lastResponse().status).toBe(420);
    await peer.say(peer.within('BYE', 4, required));
    expect(peer.lastResponse().status).toBe(200);
    expect(await dialog.ended).toEqual({ by: 'remote' });
  });

  it('rejects an UPDATE with an offer while a local offer is not answered', async () => {
    const dialog = await peer.standing();
    await peer.say(peer.within('INVITE', 2));
    expect(peer.lastResponse()).toMatchObject({ status: 200, body: OURS });
    await peer.say(peer.within('UPDATE', 3, [SDP_TYPE], OFFER));
    expect(peer.lastResponse().status).toBe(491);
    await peer.say(peer.within('UPDATE', 4));
    expect(peer.lastResponse().status).toBe(200);
    await peer.say(peer.within('ACK', 2, [SDP_TYPE], OFFER));
    await peer.say(peer.within('UPDATE', 5, [SDP_TYPE], OFFER));
    expect(peer.lastResponse()).toMatchObject({ status: 200, body: OURS });
    void dialog.bye();
  });

  describe('refer', () => {
    const sipfrag = ['Event: refer', 'Content-Type: message/sipfrag'];

    it('resolves with the result that the peer reports', async () => {
      const dialog = await peer.standing();
      const referred = dialog.refer('sip:other@example.test');
      await peer.clock.advance(50);
      const refer = peer.requestOf('REFER');
      expect(headerOf(refer, 'Refer-To')).toBe('<sip:other@example.test>');
      await peer.say(answerTo(refer, '202 Accepted'));
      await peer.say(peer.within('NOTIFY', 2, sipfrag, 'SIP/2.0 180 Ringing'));
      expect(peer.lastResponse().status).toBe(200);
      await peer.clock.advance(20_000);
      await peer.say(peer.within('NOTIFY', 3, sipfrag, 'SIP/2.0 486 Busy Here'));
      expect(await referred).toBe(false);
      const again = dialog.refer('sip:third@example.test');
      await peer.clock.advance(50);
      await peer.say(answerTo(peer.requestOf('REFER'), '202 Accepted'));
      await peer.say(peer.within('NOTIFY', 4, sipfrag, 'SIP/2.0 200 OK'));
      expect(await again).toBe(true);
    });

    it('resolves with false if the peer rejects the REFER', async () => {
      const dialog = await peer.standing();
      const referred = dialog.refer('sip:other@example.test');
      await peer.clock.advance(50);
      await peer.say(answerTo(peer.requestOf('REFER'), '603 Decline'));
      expect(await referred).toBe(false);
      const again = dialog.refer('sip:other@example.test');
      await peer.clock.advance(50);
      await peer.say(answerTo(peer.requestOf('REFER'), '481 Gone'));
      expect(await again).toBe(false);
      expect(await dialog.ended).toEqual({ by: 'lost' });
    });

    it.each([
      ['sends no NOTIFY', FIRST_REPORT_LIMIT_MS, null],
      ['reports no final status', RESULT_LIMIT_MS, 'SIP/2.0 100 Trying'],
    ])('resolves with true after a time limit if the peer %s', async (_what, limitMs, report) => {
      const dialog = await peer.standing();
      let result: boolean | null = null;
      void dialog.refer('sip:other@example.test').then((succeeded) => {
        result = succeeded;
      });
      await peer.clock.advance(50);
      await peer.say(answerTo(peer.requestOf('REFER'), '202 Accepted'));
      if (report !== null) await peer.say(peer.within('NOTIFY', 2, sipfrag, report));
      await peer.clock.advance(limitMs - 100);
      expect(result).toBeNull();
      await peer.clock.advance(100);
      expect(result).toBe(true);
    });

    it('resolves with true if the last report has no final status', async () => {
      const dialog = await peer.standing();
      const referred = dialog.refer('sip:other@example.test');
      await peer.clock.advance(50);
      await peer.say(answerTo(peer.requestOf('REFER'), '202 Accepted'));
      const last = [...sipfrag, 'Subscription-State: terminated;reason=noresource'];
      await peer.say(peer.within('NOTIFY', 2, last, 'SIP/2.0 100 Trying'));
      expect(await referred).toBe(true);
    });

    it('resolves with true if the peer hangs up after it has accepted the REFER', async () => {
      const dialog = await peer.standing();
      const referred = dialog.refer('sip:other@example.test');
      await peer.clock.advance(50);
      await peer.say(answerTo(peer.requestOf('REFER'), '202 Accepted'));
      await peer.say(peer.within('BYE', 2));
      expect(await referred).toBe(true);
    });
  });

  describe('received REFER', () => {
    async function referred(): Promise<{ dialog: Dialog; referrals: PeerReferral[] }> {
      const dialog = await peer.standing();
      const referrals: PeerReferral[] = [];
      dialog.handle({
        onKey: () => undefined,
        onRefer: (referral) => referrals.push(referral),
        onReplaced: () => undefined,
      });
      return { dialog, referrals };
    }

    const notified = (): string[] =>
      peer
        .requestsOf('NOTIFY')
        .map((each) => `${headerOf(each, 'Event')} ${headerOf(each, 'Subscription-State')} ${each.body}`);

    async function confirmed(): Promise<void> {
      await peer.clock.advance(50);
      await peer.say(answerTo(peer.requestOf('NOTIFY'), '200 OK'));
    }

    it('is accepted, reports its progress by NOTIFY, and passes on the Replaces of its Refer-To', async () => {
      const { dialog, referrals } = await referred();
      const replaces = 'Replaces=12%40pbx%3Bto-tag%3Da%2Bb%3Bfrom-tag%3Dc';
      const target = `Refer-To: "Bob" <sip:bob@pbx.test;method=INVITE;transport=tcp?${replaces}&Subject=x>`;
      await peer.say(peer.within('REFER', 2, [target, 'Referred-By: <sip:caller@pbx.test>']));
      expect(peer.received.some((each) => each.kind === 'response' && each.status === 202)).toBe(true);
      expect(referrals).toMatchObject([
        {
          target: 'sip:bob@pbx.test;transport=tcp',
          replaces: '12@pbx;to-tag=a+b;from-tag=c',
          referredBy: '<sip:caller@pbx.test>',
        },
      ]);
      await confirmed();
      await peer.say(peer.within('REFER', 3, ['Refer-To: <tel:+4930>']));
      expect(peer.lastResponse().status).toBe(603);
      const done = referrals[0]?.report(200, 'OK');
      await confirmed();
      await done;
      expect(notified()).toEqual([
        'refer active;expires=60 SIP/2.0 100 Trying\r\n',
        'refer terminated;reason=noresource SIP/2.0 200 OK\r\n',
      ]);
      await peer.say(peer.within('REFER', 4, ['Refer-To: <tel:+4930>']));
      expect(referrals[1]).toMatchObject({ target: 'tel:+4930', replaces: null, referredBy: null });
      await confirmed();
      expect(notified().at(-1)).toMatch(/^refer;id=4 active/u);
      void dialog.bye();
    });

    it.each([
      ['without a target', [], 400],
      ['with two targets', ['Refer-To: <sip:a@b.test>, <sip:c@d.test>'], 400],
      ['for another method', ['Refer-To: <sip:a@b.test;method=BYE>'], 400],
      ['for another scheme', ['Refer-To: <https://b.test>'], 400],
    ])('is rejected %s', async (_what, lines, status) => {
      const { dialog, referrals } = await referred();
      await peer.say(peer.within('REFER', 2, lines));
      expect(peer.lastResponse().status).toBe(status);
      expect(referrals).toEqual([]);
      void dialog.bye();
    });

    it('is declined with 603 if there is no handler', async () => {
      const dialog = await peer.standing();
      await peer.say(peer.within('REFER', 2, ['Refer-To: <sip:bob@pbx.test>']));
      expect(peer.lastResponse().status).toBe(603);
      void dialog.bye();
    });
  });

  describe('INVITE with Replaces', () => {
    async function replacing(handled: boolean, lines: (localTag: string) => readonly string[]) {
      const dialog = await peer.standing();
      const invites: IncomingInvite[] = [];
      if (handled) {
        dialog.handle({
          onKey: () => undefined,
          onRefer: () => undefined,
          onReplaced: (invite) => invites.push(invite),
        });
      }
      const tag = /tag=(?<tag>[^;]+)/u.exec(headerOf(peer.lastResponse(), 'To') ?? '')?.groups?.['tag'] ?? '';
      const via = 'Via: SIP/2.0/UDP 203.0.113.9;branch=z9hG4bK-replacing;rport';
      const other = [via, 'Call-ID: other', 'From: <sip:bob@pbx.test>;tag=bob', SDP_TYPE];
      await peer.say(rawRequest('INVITE', [...other, ...lines(tag)], OFFER));
      void dialog.bye();
      return { invites };
    }

    it('is passed to the dialog that it replaces', async () => {
      const { invites } = await replacing(true, (tag) => [`Replaces: raw-call;from-tag=raw;to-tag=${tag}`]);
      expect(invites).toMatchObject([{ callId: 'other', from: { user: 'bob' } }]);
      invites[0]?.reject(486, 'Busy Here');
      expect(peer.us.invites).toHaveLength(1);
    });

    it.each([
      ['has no handler', false, 603, (tag: string) => [`Replaces: raw-call;from-tag=raw;to-tag=${tag}`]],
      ['is unknown', true, 481, () => ['Replaces: raw-call;from-tag=raw;to-tag=other']],
      [
        'is confirmed and Replaces has early-only',
        true,
        486,
        (tag: string) => [`Replaces: raw-call;from-tag=raw;to-tag=${tag};early-only`],
      ],
      ['is identified without tags', true, 400, () => ['Replaces: raw-call']],
    ])('is rejected if the dialog %s', async (_what, handled, status, lines) => {
      const { invites } = await replacing(handled, lines);
      const response = peer.received.findLast(
        (each) => each.kind === 'response' && headerOf(each, 'Call-ID') === 'other',
      );
      expect(response).toMatchObject({ status });
      expect(invites).toEqual([]);
    });
  });

  it.each([
    ['with a private Contact address behind a NAT', 'sip:caller@192.168.1.7:5099', '203.0.113.9'],
    ['with a blocked Contact address', 'sip:caller@198.51.100.1', '203.0.113.9'],
    ['with a Contact host that does not resolve', 'sip:caller@nowhere.test', '203.0.113.9'],
    ['with a reachable Contact address', 'sip:caller@203.0.113.7', '203.0.113.7'],
  ])('sends BYE to the reachable address of a peer %s', async (_what, contact, reached) => {
    peer.network.attach('203.0.113.7', () => undefined);
    const dialog = await peer.standing([`Contact: <${contact}>`]);
    void dialog.bye();
    await peer.clock.advance(50);
    expect(peer.network.sent.at(-1)).toBe(`10.0.0.2→${reached} BYE`);
  });

  it('sends BYE to the source of the INVITE if the peer is behind a NAT within a private network', async () => {
    const near = new RawPeer('10.0.0.9');
    const dialog = await near.standing(['Contact: <sip:caller@192.168.1.7:5099>']);
    void dialog.bye();
    await near.clock.advance(50);
    expect(near.network.sent.at(-1)).toBe('10.0.0.2→10.0.0.9 BYE');
    await near.say(answerTo(near.requestOf('BYE'), '200 OK'));
    await near.expectNothingLeft();
  });
});
