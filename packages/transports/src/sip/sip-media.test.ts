import { describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { FrameRing } from '../rtp-thread/frame-ring.ts';
import { RtpChannel } from '../rtp-thread/rtp-channel.ts';
import { RtpPorts } from '../rtp-thread/rtp-ports.ts';
import type { RtpCommand } from '../rtp-thread/rtp-session.ts';
import { SipMedia, type SipMediaSnapshot } from './sip-media.ts';

const ADDRESS = '192.0.2.1';
const PEER = '192.0.2.10';

function descriptionOf(port: number, direction = 'sendrecv'): string {
  const lines = ['v=0', `o=- 1 1 IN IP4 ${PEER}`, 's=-', `c=IN IP4 ${PEER}`, 't=0 0'];
  return [...lines, `m=audio ${port} RTP/AVP 8`, `a=${direction}`, ''].join('\r\n');
}

/** Media, and the commands to its RTP port. */
async function opened(earlier: SipMediaSnapshot | null = null) {
  const clock = new VirtualClock();
  const commands: RtpCommand[] = [];
  const times = { nextMs: 0, msOf: () => 0 };
  const engine = {
    open: (_: readonly string[], port: number) =>
      Promise.resolve(
        new RtpChannel({
          ...{ port, ring: new FrameRing(), times, clock },
          post: (command) => void commands.push(command),
          close: () => undefined,
        }),
      ),
  };
  const ports = new RtpPorts({ host: ADDRESS, range: { first: 4000, last: 4000 }, engine });
  const meter = { sample: () => undefined };
  return { media: await SipMedia.open({ ports, address: ADDRESS, meter, clock, earlier }), commands };
}

async function snapshotOf(description: string): Promise<SipMediaSnapshot> {
  const { media } = await opened();
  media.answer(description);
  return media.snapshot();
}

const SILENCE = {
  type: 'format',
  format: { clockRateHz: 8000, silence: expect.any(Uint8Array), silenceType: 8 },
};

describe('SipMedia of a resumed call', () => {
  it('sends silence to the previous audio address of the peer before the peer answers', async () => {
    const { media, commands } = await opened(await snapshotOf(descriptionOf(5000)));
    media.sendSilence();
    expect(commands).toEqual([{ type: 'signalled', address: { address: PEER, port: 5000 } }, SILENCE]);
    media.offer();
    expect(media.takeAnswer(descriptionOf(5002))).toBeNull();
    commands.length = 0;
    media.sendSilence();
    expect(commands).toEqual([{ type: 'signalled', address: { address: PEER, port: 5002 } }, SILENCE]);
  });

  it('sends nothing before the answer when the peer was on hold or the audio was encrypted', async () => {
    const held = await snapshotOf(descriptionOf(5000, 'sendonly'));
    expect(held.target).toBeUndefined();
    const encrypted = { ...(await snapshotOf(descriptionOf(5000))), isEncrypted: true };
    for (const earlier of [held, encrypted]) {
      const { media, commands } = await opened(earlier);
      media.sendSilence();
      expect(commands).toEqual([]);
    }
  });
});
