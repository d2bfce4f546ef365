import { afterEach, describe, expect, it } from '@jest/globals';
import { levelDbfs } from '@calls/audio/pcm';
import { connectSockets } from '@calls/testkit/socket-pair';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { InlineOpus } from '../opus/inline-opus.ts';
import { ProviderEnd } from './testing/provider-end.ts';

const RATE_HZ = 16_000;
const FRAME_SAMPLES = RATE_HZ / 50;
const START = {
  event: 'start',
  stream_id: 'stream',
  start: { media_format: { encoding: 'OPUS', sample_rate: RATE_HZ, channels: 1 } },
};

const cleanUps: Disposable[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp[Symbol.dispose]();
});

/** A second of a tone as packets in base64. */
async function tonePackets(): Promise<string[]> {
  const packets: string[] = [];
  using encoder = await new InlineOpus().openEncoder(RATE_HZ, {
    onPacket: (payload) => packets.push(Buffer.from(payload).toString('base64')),
    onError: () => undefined,
  });
  for (let frame = 0; frame < 50; frame += 1) {
    const at = frame * FRAME_SAMPLES;
    const tone = (_: unknown, i: number) =>
      Math.round(8000 * Math.sin((2 * Math.PI * 400 * (at + i)) / RATE_HZ));
    encoder.encode(Int16Array.from({ length: FRAME_SAMPLES }, tone), frame * 20);
  }
  return packets;
}

describe('a stream of telephony2 with Opus', () => {
  it('decodes audio, and reports malformed packets', async () => {
    const clock = new VirtualClock();
    const ends = await connectSockets();
    cleanUps.push(ends);
    const provider = new ProviderEnd({ kind: 'telephony2', ...ends, clock });
    const transport = await provider.begin(START);
    void provider.keepEvents(transport);
    expect(transport.inputFormat).toEqual({ sampleRateHz: RATE_HZ });
    for (const payload of ['', '%%%', ...(await tonePackets())]) {
      provider.send({ event: 'media', media: { track: 'inbound', payload } });
      await provider.settled();
      await clock.advance(20);
    }
    const audio = provider.eventsOf('audio').flatMap(({ samples }) => [...samples]);
    expect(audio.length).toBeGreaterThan(RATE_HZ * 0.9);
    expect(
      Math.abs(levelDbfs(Int16Array.from(audio.slice(FRAME_SAMPLES))) - levelDbfs(Int16Array.of(5657))),
    ).toBeLessThan(2);
    expect(provider.eventsOf('malformed')).toHaveLength(2);
    expect(provider.eventsOf('malformed')[0]?.detail).toContain('is not an Opus packet in base64');
  });
});
