import { describe, expect, it } from '@jest/globals';
import { offeredMedium } from './offered-medium.ts';

const withWebRtc = (): Promise<null> => Promise.resolve(null);
const without = (): Promise<string> => Promise.resolve('no binary');

describe('the medium of a new call', () => {
  it('is WebRTC by default', async () => {
    expect(await offeredMedium({}, withWebRtc)).toEqual({ kind: 'webRtc', given: {} });
    const webRtc = { dataMessages: { pong: false } };
    expect(await offeredMedium({ webRtc }, withWebRtc)).toEqual({ kind: 'webRtc', given: webRtc });
  });

  it('is rejected with the reason when no media-worker supports WebRTC', async () => {
    for (const medium of [{}, { webRtc: {} }]) {
      await expect(offeredMedium(medium, without)).rejects.toMatchObject({
        code: 'medium_not_available',
        message: expect.stringContaining('no binary'),
      });
    }
  });

  it('is a server WebSocket on request, even when no worker supports WebRTC', async () => {
    const serverWebSocket = { inputSampleRate: 8000 };
    expect(await offeredMedium({ serverWebSocket }, without)).toEqual({
      kind: 'serverWebSocket',
      given: serverWebSocket,
    });
  });

  it('is a telephony provider’s stream on request, even when no worker supports WebRTC', async () => {
    const outgoing = { to: '+4930123', from: '+4930456' };
    expect(await offeredMedium({ telephony1: { outgoing } }, without)).toEqual({
      kind: 'telephony1',
      given: { outgoing },
    });
    expect(await offeredMedium({ telephony4: {} }, without)).toEqual({ kind: 'telephony4', given: {} });
  });

  it('is SIP for an outgoing SIP call and for an incoming INVITE', async () => {
    const outgoing = { to: 'sip:a@b.example', from: 'sip:c@d.example' };
    expect(await offeredMedium({ sip: { outgoing } }, without)).toEqual({ kind: 'sip', given: { outgoing } });
    const incoming = { sip: { incoming: {} } };
    expect(await offeredMedium(incoming, without, true)).toEqual({ kind: 'sip', given: incoming.sip });
    await expect(offeredMedium(incoming, withWebRtc)).rejects.toMatchObject({
      code: 'medium_not_available',
      message: expect.stringContaining('INVITE'),
    });
  });
});
