import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Dialog } from '../calls.ts';
import { headerOf } from '../message/headers.ts';
import type { SipRequest } from '../message/message.ts';
import { answerTo, OFFER, OURS, RawPeer, SDP_TYPE } from '../testing/raw-peer.ts';

const WITH_UPDATE = 'Allow: INVITE, UPDATE';

let peer: RawPeer;

beforeEach(() => {
  peer = new RawPeer();
});

afterEach(async () => {
  void peer.us.core.hangUpAll();
  await peer.expectNothingLeft();
});

/** An outgoing call whose 200 response has these header lines. */
async function called(lines: readonly string[]): Promise<Dialog> {
  const call = await peer.call();
  const contact = 'Contact: <sip:x@203.0.113.9>';
  await peer.say(answerTo(peer.requestOf('INVITE'), '200 OK', { lines: [contact, ...lines], body: OFFER }));
  const answer = await call.answered;
  if (answer.kind !== 'answered') throw new Error(answer.reason);
  return answer.dialog;
}

const agreed = (seconds: number, refresher: 'uac' | 'uas'): string[] => [
  `Session-Expires: ${seconds};refresher=${refresher}`,
  'Require: timer',
];

/** An UPDATE from the peer in the dialog of an outgoing INVITE. */
function update(invite: SipRequest, cseq: number, body = ''): string {
  const headers = [
    `Via: SIP/2.0/UDP 203.0.113.9;branch=z9hG4bK-update-${cseq};rport`,
    `From: ${headerOf(invite, 'To')};tag=peer`,
    `To: ${headerOf(invite, 'From')}`,
    `Call-ID: ${headerOf(invite, 'Call-ID')}`,
    `CSeq: ${cseq} UPDATE`,
    'Supported: timer',
    'Session-Expires: 90;refresher=uac',
    ...(body === '' ? [] : [SDP_TYPE]),
    `Content-Length: ${body.length}`,
  ];
  return `UPDATE sip:me@10.0.0.2 SIP/2.0\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

describe('session timer of an outgoing call', () => {
  it('is offered, and refreshed by UPDATE after half of the agreed interval', async () => {
    const dialog = await called([...agreed(200, 'uac'), WITH_UPDATE]);
    const invite = peer.requestOf('INVITE');
    expect([headerOf(invite, 'Session-Expires'), headerOf(invite, 'Min-SE')]).toEqual(['1800', '90']);
    await peer.clock.advance(99_000);
    expect(peer.requestsOf('UPDATE')).toEqual([]);
    await peer.clock.advance(1100);
    const [first] = peer.requestsOf('UPDATE');
    if (!first) throw new Error('no refresh');
    expect(headerOf(first, 'Session-Expires')).toBe('200;refresher=uac');
    await peer.say(answerTo(first, '200 OK', { lines: agreed(100, 'uac') }));
    await peer.clock.advance(50_100);
    expect(peer.requestsOf('UPDATE')).toHaveLength(2);
    await peer.say(answerTo(peer.requestOf('UPDATE'), '481 Gone'));
    expect(await dialog.ended).toEqual({ by: 'lost' });
    expect(peer.requestsOf('BYE')).toHaveLength(1);
  });

  it('is refreshed by a re-INVITE with the same description if the peer does not support UPDATE', async () => {
    const answers: string[] = [];
    const dialog = await called(agreed(100, 'uac'));
    dialog.onReinvite({ reoffer: () => null, takeAnswer: (sdp) => answers.push(sdp) });
    await peer.clock.advance(50_000);
    const again = peer.requestOf('INVITE');
    expect(again).toMatchObject({ body: OURS });
    expect(headerOf(again, 'To')).toContain('tag=peer');
    await peer.say(update(peer.requestOf('INVITE', 0), 1, OFFER));
    expect(peer.lastResponse().status).toBe(491);
    const ok = answerTo(again, '200 OK', { lines: agreed(100, 'uac'), body: OFFER });
    await peer.say(ok, ok);
    expect(peer.requestsOf('ACK')).toHaveLength(3);
    expect(answers).toEqual([]);
    await peer.clock.advance(50_000);
    const moved = answerTo(peer.requestOf('INVITE'), '200 OK', {
      lines: agreed(100, 'uac'),
      body: 'v=0\r\nmoved\r\n',
    });
    await peer.say(moved);
    expect(answers).toEqual(['v=0\r\nmoved\r\n']);
    expect(dialog.remoteSdp).toBe('v=0\r\nmoved\r\n');
  });

  it.each(['405 Method Not Allowed', '501 Not Implemented'])(
    'is refreshed by a re-INVITE if the peer allows UPDATE but the response is %s',
    async (status) => {
      const dialog = await called([...agreed(100, 'uac'), WITH_UPDATE]);
      await peer.clock.advance(50_000);
      await peer.say(answerTo(peer.requestOf('UPDATE'), status));
      for (const invites of [2, 3]) {
        expect(peer.requestsOf('INVITE')).toHaveLength(invites);
        const ok = answerTo(peer.requestOf('INVITE'), '200 OK', { lines: agreed(100, 'uac'), body: OFFER });
        await peer.say(ok);
        await peer.clock.advance(50_000);
      }
      expect(peer.requestsOf('UPDATE')).toHaveLength(1);
      void dialog.bye();
    },
  );

  it('retries a rejected refresh, and ends the call before the interval expires', async () => {
    const dialog = await called([...agreed(120, 'uac'), WITH_UPDATE]);
    for (let at = 60; at <= 80; at += 10) {
      await peer.clock.advance(at === 60 ? 60_000 : 10_000);
      await peer.say(answerTo(peer.requestOf('UPDATE'), '500 Not Now'));
    }
    expect(peer.requestsOf('UPDATE')).toHaveLength(3);
    await peer.clock.advance(9000);
    expect(await dialog.ended).toEqual({ by: 'lost' });
  });

  it('ends the call if the peer does not refresh the session in time', async () => {
    const dialog = await called(agreed(90, 'uas'));
    await peer.clock.advance(50_000);
    await peer.say(update(peer.requestOf('INVITE'), 1));
    expect(headerOf(peer.lastResponse(), 'Session-Expires')).toBe('90;refresher=uac');
    await peer.clock.advance(59_000);
    expect(peer.requestsOf('BYE')).toEqual([]);
    await peer.clock.advance(1100);
    expect(await dialog.ended).toEqual({ by: 'lost' });
    expect(peer.requestsOf('BYE')).toHaveLength(1);
  });

  it('uses the Min-SE of a 422 response, and fails after a second 422', async () => {
    const call = await peer.call();
    await peer.say(
      answerTo(peer.requestOf('INVITE'), '422 Session Interval Too Small', { lines: ['Min-SE: 3600'] }),
    );
    expect(headerOf(peer.requestOf('INVITE'), 'Session-Expires')).toBe('3600');
    await peer.say(
      answerTo(peer.requestOf('INVITE'), '422 Session Interval Too Small', { lines: ['Min-SE: 3600'] }),
    );
    expect(await call.answered).toMatchObject({ cause: 'refused', status: 422 });
  });
});

describe('session timer of an incoming call', () => {
  it.each([
    ['the peer requests it', ['Supported: timer', 'Session-Expires: 100;refresher=uas']],
    ['only a proxy supports session timers', ['Session-Expires: 100']],
  ])('is refreshed by the endpoint if %s', async (_what, lines) => {
    await peer.standing([...lines, WITH_UPDATE]);
    expect(headerOf(peer.lastResponse(), 'Session-Expires')).toBe('100;refresher=uas');
    expect(headerOf(peer.lastResponse(), 'Require')).toBeNull();
    await peer.clock.advance(50_000);
    const refresh = peer.requestOf('UPDATE');
    expect(headerOf(refresh, 'Session-Expires')).toBe('100;refresher=uac');
    await peer.say(answerTo(refresh, '200 OK'));
    await peer.clock.advance(100_000);
    expect(peer.requestsOf('UPDATE')).toHaveLength(1);
  });
});
