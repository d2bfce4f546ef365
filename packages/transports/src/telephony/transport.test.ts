import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { decodeMuLaw, encodeMuLaw } from '@calls/audio/g711';
import { bytesFromSamples, levelDbfs, samplesFromBytes } from '@calls/audio/pcm';
import { TELEPHONY_DIALECTS, type TelephonyDialect } from '@calls/providers/telephony/telephony-vendors';
import { describeMediaTransport } from '@calls/testkit/conformance/media-transport';
import { LOSSY_SOUND } from '@calls/testkit/conformance/sound';
import { connectSockets } from '@calls/testkit/socket-pair';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { ProviderEnd } from './testing/provider-end.ts';
import { PROVIDER_FRAMES } from './testing/provider-frames.ts';

const cleanUps: Disposable[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp[Symbol.dispose]();
});

async function connected(kind: TelephonyDialect) {
  const clock = new VirtualClock();
  const ends = await connectSockets();
  cleanUps.push(ends);
  const provider = new ProviderEnd({ kind, ...ends, clock });
  return { clock, provider, transport: await provider.begin() };
}

async function begun(kind: TelephonyDialect) {
  const ends = await connected(kind);
  void ends.provider.keepEvents(ends.transport);
  return ends;
}

const encoded = (kind: TelephonyDialect, samples: Int16Array): string =>
  Buffer.from(
    PROVIDER_FRAMES[kind].format.isMuLaw ? encodeMuLaw(samples) : bytesFromSamples(samples),
  ).toString('base64');

/** The payloads of the media frames that the provider received. */
function payloads(provider: ProviderEnd): Buffer[] {
  return provider.received.flatMap((frame) =>
    'media' in frame ? [Buffer.from((frame.media as { payload: string }).payload, 'base64')] : [],
  );
}

function playedSamples(kind: TelephonyDialect, provider: ProviderEnd): number[] {
  return payloads(provider).flatMap((bytes) => [
    ...(PROVIDER_FRAMES[kind].format.isMuLaw ? decodeMuLaw(bytes) : samplesFromBytes(bytes.subarray())),
  ]);
}

const marksOf = (provider: ProviderEnd): string[] =>
  provider.received.flatMap((frame) => {
    if ('mark' in frame) return [(frame.mark as { name: string }).name];
    return frame.event === 'checkpoint' && 'name' in frame ? [String(frame.name)] : [];
  });

const tone = (rateHz: number, durationMs: number, level = 8000): Int16Array =>
  Int16Array.from({ length: (rateHz * durationMs) / 1000 }, (_, i) =>
    Math.round(level * Math.sin((2 * Math.PI * 400 * i) / rateHz)),
  );

for (const kind of TELEPHONY_DIALECTS) {
  describeMediaTransport(`media stream of ${kind}`, {
    carriesMessages: false,
    ...(PROVIDER_FRAMES[kind].format.isMuLaw ? { sound: LOSSY_SOUND } : {}),
    connect: async () => {
      const { clock, provider, transport } = await connected(kind);
      const messages: ServerMessage[] = [];
      return {
        transport,
        client: {
          speak: (samples) => provider.send(provider.frames.media(encoded(kind, samples))),
          say: () => undefined,
          hangUp: () => provider.send(provider.frames.stop),
          async settled() {
            await provider.settled();
            // The remainder of a chunk is padded and sent.
            await clock.advance(400);
            await provider.settled();
          },
          // Chunks are padded with silence; the audio of the tests contains none.
          playedSamples: () =>
            PROVIDER_FRAMES[kind].format.isMuLaw
              ? playedSamples(kind, provider)
              : playedSamples(kind, provider).filter((sample) => sample !== 0),
          messages: () => messages,
          clears: () => provider.received.filter(({ event }) => event.startsWith('clear')).length,
        },
      };
    },
  });
}

describe.each(TELEPHONY_DIALECTS)('a phone call over %s', (kind) => {
  const { rateHz } = PROVIDER_FRAMES[kind].format;

  it('carries audio, marks and digits from start to stop', async () => {
    const { clock, provider, transport } = await begun(kind);
    const { frames } = provider;
    expect(transport.inputFormat).toEqual({ sampleRateHz: rateHz });
    expect(transport.outputFormat).toEqual({ sampleRateHz: rateHz });
    expect(transport.outputLeadMs).toBeGreaterThanOrEqual(200);
    // A mark during silence measures the round trip time.
    expect(marksOf(provider)).toHaveLength(1);
    provider.send(frames.played(marksOf(provider)[0] ?? ''));

    const said = tone(rateHz, 200);
    for (let ms = 0; ms < 200; ms += 20) {
      const frame = said.subarray((ms * rateHz) / 1000, ((ms + 20) * rateHz) / 1000);
      provider.send(frames.media(encoded(kind, frame)));
      await provider.settled();
      await clock.advance(20);
    }
    const arrived = provider.eventsOf('audio').flatMap(({ samples }) => [...samples]);
    expect(arrived).toHaveLength(said.length);
    expect(levelDbfs(Int16Array.from(arrived))).toBeCloseTo(levelDbfs(said), 0);

    const spoken = tone(rateHz, 430);
    for (let at = 0; at < spoken.length; at += rateHz / 50)
      transport.write(spoken.subarray(at, at + rateHz / 50));
    await clock.advance(1000);
    await provider.settled();
    const output = playedSamples(kind, provider);
    expect(output.length).toBeGreaterThanOrEqual(spoken.length);
    expect(output.slice(spoken.length).every((sample) => sample === 0)).toBe(true);
    expect(levelDbfs(Int16Array.from(output.slice(0, spoken.length)))).toBeCloseTo(levelDbfs(spoken), 0);
    if (kind === 'telephony4') {
      for (const bytes of payloads(provider)) {
        expect(bytes.byteLength % 320).toBe(0);
        expect(bytes.byteLength).toBeGreaterThanOrEqual(3200);
      }
    }
    if (kind === 'telephony2') {
      for (const bytes of payloads(provider)) expect(bytes.byteLength).toBeGreaterThanOrEqual(160);
    }
    const marks = marksOf(provider).slice(1);
    expect(marks.length).toBeGreaterThanOrEqual(2);
    for (const name of marks) provider.send(frames.played(name));

    transport.clear();
    provider.send(frames.digit('5'));
    provider.send(frames.digit('#'));
    await provider.settled();
    expect(provider.received.at(-1)).toEqual(frames.wanted.clear);
    expect(provider.eventsOf('dtmf').map(({ digit }) => digit)).toEqual(['5', '#']);

    provider.send(frames.stop);
    await provider.settled();
    expect(provider.events.at(-1)).toMatchObject({ type: 'closed', reason: 'hangup' });
    const closed = provider.closed;
    await transport.close('hangup');
    expect(await closed).toEqual([1000, Buffer.from('hangup')]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('measures how late the phone plays from the returned marks', async () => {
    const { clock, provider, transport } = await begun(kind);
    const { frames } = provider;
    provider.send(frames.played(marksOf(provider)[0] ?? ''));
    await provider.settled();
    transport.write(tone(rateHz, 200));
    await provider.settled();
    expect(transport.playbackLagMs?.(clock.nowMs())).toBe(0);
    await clock.advance(700);
    // All audio should have been played half a second ago.
    expect(transport.playbackLagMs?.(clock.nowMs())).toBe(400);
    provider.send(frames.played(marksOf(provider)[1] ?? ''));
    await provider.settled();
    expect(transport.playbackLagMs?.(clock.nowMs())).toBe(500);
  });

  it('ends as hangup or lost when the provider closes the connection normally, as its protocol defines', async () => {
    const { provider } = await begun(kind);
    const closed = provider.closed;
    provider.close(1000);
    await closed;
    const reason = kind === 'telephony3' ? 'hangup' : 'lost';
    expect(provider.events).toMatchObject([{ type: 'closed', reason }]);
  });

  it('ends as lost when the connection breaks', async () => {
    const { provider } = await begun(kind);
    const closed = provider.closed;
    provider.cut();
    await closed;
    await eventually(() => provider.events.length > 0);
    expect(provider.events).toMatchObject([{ type: 'closed', reason: 'lost' }]);
  });
});

describe('a phone call', () => {
  it('sends whole chunks immediately, and the rest padded with silence before it is due', async () => {
    const { clock, provider, transport } = await begun('telephony4');
    transport.write(tone(8000, 200));
    transport.write(tone(8000, 20));
    await provider.settled();
    expect(payloads(provider).map(({ byteLength }) => byteLength)).toEqual([3200]);
    await clock.advance(99);
    await provider.settled();
    expect(payloads(provider)).toHaveLength(1);
    await clock.advance(1);
    await provider.settled();
    expect(payloads(provider).map(({ byteLength }) => byteLength)).toEqual([3200, 3200]);
    // The padding silence plays before any later audio.
    expect(transport.playoutDelayMs?.(clock.nowMs())).toBe(300);
  });

  it('is not padded with silence while the agent speaks', async () => {
    const { clock, provider, transport } = await begun('telephony4');
    for (let i = 0; i < 19; i += 1) transport.write(tone(8000, 20));
    for (let i = 0; i < 81; i += 1) {
      await clock.advance(20);
      transport.write(tone(8000, 20));
    }
    await provider.settled();
    expect(payloads(provider)).toHaveLength(10);
    expect(playedSamples('telephony4', provider)).toHaveLength(16_000);
    expect(transport.playoutDelayMs?.(clock.nowMs())).toBe(380);
  });

  it('has its audio in order even if the provider sends frames out of order', async () => {
    const { clock, provider } = await begun('telephony2');
    const send = async (...chunks: number[]): Promise<void> => {
      for (const chunk of chunks) {
        const payload = Buffer.alloc(160, chunk).toString('base64');
        provider.send({ event: 'media', media: { track: 'inbound', chunk: String(chunk), payload } });
      }
      await provider.settled();
    };
    const received = (): (number | undefined)[] =>
      provider.eventsOf('audio').map(({ samples }) => encodeMuLaw(samples)[0]);
    await send(1, 2, 4, 5, 3, 6, 8);
    expect(received()).toEqual([1, 2, 3, 4, 5, 6]);
    await clock.advance(200);
    expect(received()).toEqual([1, 2, 3, 4, 5, 6, 8]);
  });

  it('ends with a connection error when no frame arrives for a minute', async () => {
    const { clock, provider } = await begun('telephony1');
    await clock.advance(59_000);
    provider.send(provider.frames.played('7'));
    await provider.settled();
    await clock.advance(59_900);
    expect(provider.eventsOf('closed')).toEqual([]);
    await clock.advance(200);
    expect(provider.eventsOf('closed')).toMatchObject([{ reason: 'connection_error' }]);
  });

  it.each([true, false])('ends as lost after a probe unless a frame arrives (%p)', async (comes) => {
    const { clock, provider, transport } = await begun('telephony1');
    transport.probe();
    if (comes) provider.send(provider.frames.media(''));
    await provider.settled();
    await clock.advance(2200);
    expect(provider.eventsOf('closed')).toMatchObject(comes ? [] : [{ reason: 'lost' }]);
  });

  it('is closed with code 1012 when it continues on another worker', async () => {
    const { provider, transport } = await begun('telephony1');
    const closed = provider.closed;
    await transport.close('service_restart');
    expect((await closed)[0]).toBe(1012);
  });
});

async function eventually(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
