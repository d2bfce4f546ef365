import { describe, expect, it } from '@jest/globals';
import { offeredMedium } from './offered-medium.ts';

const withWebRtc = (): Promise<null> => Promise.resolve(null);
const without = (): Promise<string> => Promise.resolve('no binary');

describe('the medium of a new call', () => {
  it('is WebRTC where none is named', async () => {
    expect(await offeredMedium({}, withWebRtc)).toEqual({ webRtc: {} });
    const webRtc = { dataMessages: { pong: false } };
    expect(await offeredMedium({ webRtc }, withWebRtc)).toEqual({ webRtc });
  });

  it('is refused, with the reason, where no media worker has WebRTC', async () => {
    for (const medium of [{}, { webRtc: {} }]) {
      await expect(offeredMedium(medium, without)).rejects.toMatchObject({
        code: 'medium_not_available',
        message: expect.stringContaining('no binary'),
      });
    }
  });

  it('is a WebSocket whatever the workers have', async () => {
    const serverWebSocket = { inputSampleRate: 8000 };
    expect(await offeredMedium({ serverWebSocket }, without)).toEqual({ serverWebSocket });
  });

  it('is nothing that is not built', async () => {
    await expect(offeredMedium({ telephony1: {} }, withWebRtc)).rejects.toMatchObject({
      code: 'medium_not_available',
      message: expect.stringContaining('telephony1'),
    });
  });
});
