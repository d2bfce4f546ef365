import { VirtualClock } from '@calls/testkit/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { headerOf } from '../message/headers.ts';
import { FIRST_REPORT_LIMIT_MS, RESULT_LIMIT_MS } from './referral.ts';
import { answerTo, OFFER, OURS, RawPeer, SDP_TYPE } from '../testing/raw-peer.ts';
import { rawRequest } from '../testing/simulated-network.ts';

let clock: VirtualClock;
let peer: RawPeer;

beforeEach(() => {
  clock = new VirtualClock();
  peer = new RawPeer(clock);
});

afterEach(async () => {
  await clock.advance(200_000);
  expect(clock.pendingTimers).toBe(0);
});

describe('within a dialog', () => {
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

  it('a refresh without a new offer is confirmed, by UPDATE or INVITE, with the same description', async () => {
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

  it('passes on the keys of INFO requests, and refuses other contents', async () => {
    const dialog = await peer.standing();
    const keys: string[] = [];
    dialog.onKey((key) => keys.push(key));
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
      await clock.advance(50);
      const info = peer.requestOf('INFO');
      expect(info.body).toBe('Signal=1\r\nDuration=160\r\n');
      expect(headerOf(info, 'Content-Type')).toBe('application/dtmf-relay');
      await peer.say(answerTo(info, status));
      expect(await sent).toBe(isAccepted);
    }
    void dialog.bye();
  });

  it('a peer that moved is hung up where it is now', async () => {
    const dialog = await peer.standing();
    await peer.say(peer.within('UPDATE', 2, ['Contact: <sip:caller@203.0.113.9:5099>']));
    void dialog.bye();
    await clock.advance(50);
    expect(peer.requestsOf('BYE')[0]?.uri).toBe('sip:caller@203.0.113.9:5099');
  });

  it('rejects requests that are out of order, unsupported or of another dialog', async () => {
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

  describe('refer', () => {
    const sipfrag = ['Event: refer', 'Content-Type: message/sipfrag'];

    it('resolves with the result that the peer reports', async () => {
      const dialog = await peer.standing();
      const referred = dialog.refer('sip:other@example.test');
      await clock.advance(50);
      const refer = peer.requestOf('REFER');
      expect(headerOf(refer, 'Refer-To')).toBe('<sip:other@example.test>');
      await peer.say(answerTo(refer, '202 Accepted'));
      await peer.say(peer.within('NOTIFY', 2, sipfrag, 'SIP/2.0 180 Ringing'));
      expect(peer.lastResponse().status).toBe(200);
      await clock.advance(20_000);
      await peer.say(peer.within('NOTIFY', 3, sipfrag, 'SIP/2.0 486 Busy Here'));
      expect(await referred).toBe(false);
      const again = dialog.refer('sip:third@example.test');
      await clock.advance(50);
      await peer.say(answerTo(peer.requestOf('REFER'), '202 Accepted'));
      await peer.say(peer.within('NOTIFY', 4, sipfrag, 'SIP/2.0 200 OK'));
      expect(await again).toBe(true);
    });

    it('fails if the peer refuses', async () => {
      const dialog = await peer.standing();
      const referred = dialog.refer('sip:other@example.test');
      await clock.advance(50);
      await peer.say(answerTo(peer.requestOf('REFER'), '603 Decline'));
      expect(await referred).toBe(false);
      const again = dialog.refer('sip:other@example.test');
      await clock.advance(50);
      await peer.say(answerTo(peer.requestOf('REFER'), '481 Gone'));
      expect(await again).toBe(false);
      expect(await dialog.ended).toEqual({ by: 'lost' });
    });

    it.each([
      ['reports nothing', FIRST_REPORT_LIMIT_MS, null],
      ['reports no result', RESULT_LIMIT_MS, 'SIP/2.0 100 Trying'],
    ])('succeeds after a time limit if the peer %s', async (_what, limitMs, report) => {
      const dialog = await peer.standing();
      let result: boolean | null = null;
      void dialog.refer('sip:other@example.test').then((succeeded) => {
        result = succeeded;
      });
      await clock.advance(50);
      await peer.say(answerTo(peer.requestOf('REFER'), '202 Accepted'));
      if (report !== null) await peer.say(peer.within('NOTIFY', 2, sipfrag, report));
      await clock.advance(limitMs - 100);
      expect(result).toBeNull();
      await clock.advance(100);
      expect(result).toBe(true);
    });

    it('succeeds if the peer hangs up after it accepted', async () => {
      const dialog = await peer.standing();
      const referred = dialog.refer('sip:other@example.test');
      await clock.advance(50);
      await peer.say(answerTo(peer.requestOf('REFER'), '202 Accepted'));
      await peer.say(peer.within('BYE', 2));
      expect(await referred).toBe(true);
    });
  });

  it.each([
    ['behind a NAT', 'sip:caller@192.168.1.7:5099', '203.0.113.9'],
    ['where we may not call', 'sip:caller@198.51.100.1', '203.0.113.9'],
    ['at a host without an address', 'sip:caller@nowhere.test', '203.0.113.9'],
    ['with an address that all can reach', 'sip:caller@203.0.113.7', '203.0.113.7'],
  ])('a peer %s is hung up where it is reached', async (_what, contact, reached) => {
    peer.network.attach('203.0.113.7', () => undefined);
    const dialog = await peer.standing([`Contact: <${contact}>`]);
    void dialog.bye();
    await clock.advance(50);
    expect(peer.network.sent.at(-1)).toBe(`10.0.0.2→${reached} BYE`);
  });

  it('sends BYE to the source of the INVITE if the peer is behind a NAT within a private network', async () => {
    const near = new RawPeer(clock, '10.0.0.9');
    const dialog = await near.standing(['Contact: <sip:caller@192.168.1.7:5099>']);
    void dialog.bye();
    await clock.advance(50);
    expect(near.network.sent.at(-1)).toBe('10.0.0.2→10.0.0.9 BYE');
    await near.say(answerTo(near.requestOf('BYE'), '200 OK'));
  });
});
