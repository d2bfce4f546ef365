import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { levelDbfs } from '@calls/audio/pcm';
import type { MediaTransport, TransportEvent } from '@calls/conversation/ports/media-transport';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { describeMediaTransport } from '@calls/testkit/conformance/media-transport';
import { LOSSY_SOUND } from '@calls/testkit/conformance/sound';
import { requireQuick } from '@calls/testkit/long-form';
import { observer, type types } from 'mediasoup';
import { eventually } from '../support/eventually.ts';
import { collectEvents, STARTED, WebRtcServer } from '../support/webrtc/web-rtc-server.ts';
import { RECEIVED_RATE_HZ, SPOKEN_RATE_HZ, WebRtcClient } from '../support/webrtc/webrtc-client.ts';

const server = await WebRtcServer.start();
expect(server.webRtc.unavailableReason).toBeNull();
// Warm-up: compiles code that is compiled on first use.
await (await WebRtcClient.join(server.url)).hangUp();

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

afterEach(() => WebRtcClient.stopAll());

/** Waits until no more packets arrive, because packets have no end marker. */
async function quiet(client: WebRtcClient, events: () => number): Promise<void> {
  await client.signalling.settled();
  let before = -1;
  const count = (): number => client.packets.length + client.messages.length + events();
  while (before !== count()) {
    before = count();
    // The worker has forwarded everything sent before this request when it responds.
    for (let i = 0; i < 3; i += 1) {
      await dump();
      await pause(30);
    }
  }
}

describeMediaTransport('WebRtcTransport', {
  sound: LOSSY_SOUND,
  connect: async () => {
    const client = await WebRtcClient.join(server.url);
    const { transport } = server;
    const settled = (): Promise<void> => quiet(client, () => 0);
    return {
      transport,
      client: {
        speak: (samples) => client.speak(samples),
        say: (message) => client.say(message),
        hangUp: () => void settled().then(() => client.hangUp()),
        settled,
        playedSamples: () => client.received,
        messages: () => client.messages,
        clears: () => client.clears,
      },
    };
  },
});

/** One second of a tone in frames of 20 ms. */
function* tone(sampleRateHz: number, frequencyHz: number): Generator<Int16Array> {
  const samples = sampleRateHz / 50;
  for (let frame = 0; frame < 50; frame += 1) {
    yield Int16Array.from({ length: samples }, (_, i) =>
      Math.round(8000 * Math.sin((2 * Math.PI * frequencyHz * (frame * samples + i)) / sampleRateHz)),
    );
  }
}

/** Derives the frequency from zero crossings. */
function frequencyOf(samples: readonly number[], sampleRateHz: number): number {
  let crossings = 0;
  for (let i = 1; i < samples.length; i += 1) if (samples[i - 1]! < 0 && samples[i]! >= 0) crossings += 1;
  return (crossings * sampleRateHz) / samples.length;
}

async function dump(): Promise<unknown> {
  const [worker] = server.webRtc.workers;
  if (!worker) throw new Error('no mediasoup worker runs');
  const { routerIds, channelMessageHandlers } = await worker.dump();
  return { routers: routerIds.length, handlers: channelMessageHandlers.channelRequestHandlers.length };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('WebRTC', () => {
  it('is set up within a second', async () => {
    server.outcomes.length = 0;
    // The test client is slow on a busy machine, so the best of several attempts counts.
    for (let i = 0; i < 4; i += 1) await (await WebRtcClient.join(server.url)).hangUp();
    expect(server.outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill('joined'));
    requireQuick(Math.min(...server.outcomes.map(({ durationMs }) => durationMs)), 1000);
  });

  it('carries audio in both directions at the same time with unchanged pitch', async () => {
    const client = await WebRtcClient.join(server.url);
    const { transport } = server;
    const { events, ended } = collectEvents(transport);
    const theirs = tone(SPOKEN_RATE_HZ, 440);
    for (const ours of tone(transport.outputFormat.sampleRateHz, 660)) {
      transport.write(ours);
      client.speak(theirs.next().value as Int16Array);
      await pause(20);
    }
    const samplesOf = (): number[] =>
      events.flatMap((event) => (event.type === 'audio' ? [...event.samples] : []));
    await eventually(() => {
      expect(client.received.length).toBeGreaterThanOrEqual(RECEIVED_RATE_HZ);
      expect(samplesOf().length).toBeGreaterThanOrEqual(SPOKEN_RATE_HZ);
    });
    await quiet(client, () => events.length);
    await client.hangUp();
    await ended;
    expect(server.samples.at(-1)).toMatchObject({
      ...{ direction: 'in', packets: 50, lost: 0, recovered: 0, concealed: 0 },
      ...{ late: 0, duplicate: 0, malformed: 0, waitMs: expect.any(Number) },
    });
    const spoken = samplesOf();
    expect(spoken).toHaveLength(16_000);
    expect(frequencyOf(spoken.slice(1600), 16_000)).toBeCloseTo(440, -1);
    expect(client.received).toHaveLength(RECEIVED_RATE_HZ);
    expect(frequencyOf(client.received.slice(1600), RECEIVED_RATE_HZ)).toBeCloseTo(660, -1);
    expect(levelDbfs(Int16Array.from(client.received.slice(1600)))).toBeGreaterThan(-20);
  });

  it('advances timestamps with the clock during silence', async () => {
    const client = await WebRtcClient.join(server.url);
    const { transport } = server;
    const [first, second] = tone(24_000, 500);
    const startMs = performance.now();
    transport.write(first!);
    await eventually(() => expect(client.packets).toHaveLength(1));
    await pause(400);
    transport.write(second!);
    const apartMs = performance.now() - startMs;
    await eventually(() => expect(client.packets).toHaveLength(2));
    await quiet(client, () => 0);
    const [a, b] = client.packets;
    expect(b?.marker).toBe(true);
    const betweenMs = (((b?.timestamp ?? 0) - (a?.timestamp ?? 0)) >>> 0) / 48;
    // Packets carry the time of their tick, which may be 100 ms ago on a busy machine.
    expect(betweenMs).toBeGreaterThan(250);
    requireQuick(betweenMs, apartMs + 200);
    expect(((b?.sequenceNumber ?? 0) - (a?.sequenceNumber ?? 0)) & 0xffff).toBe(1);
    await client.hangUp();
  });

  it('sends messages that are too long for the data channel over the socket, in both directions', async () => {
    const client = await WebRtcClient.join(server.url);
    const { transport } = server;
    const { events } = collectEvents(transport);
    const long = 'x'.repeat(60_000);
    client.say({ type: 'ping', timestamp: 1 });
    client.signalling.say({ type: 'user_text_message', text: long, urgency: 'soon' });
    transport.send(STARTED);
    transport.send({
      type: 'transcript',
      role: 'agent',
      medium: 'text',
      text: long,
      delta: null,
      final: true,
      ordinal: 0,
    });
    await eventually(() => {
      expect(events).toHaveLength(2);
      expect([client.messages.length, client.signalling.messages.length]).toEqual([1, 1]);
    });
    await quiet(client, () => events.length);
    expect(events).toContainEqual({ type: 'data', message: { type: 'ping', timestamp: 1 } });
    expect(events).toContainEqual({
      type: 'data',
      message: { type: 'user_text_message', text: long, urgency: 'soon' },
    });
    expect(client.messages).toEqual([STARTED]);
    expect(client.signalling.messages).toMatchObject([{ type: 'transcript', text: long }]);
    await client.hangUp();
  });

  it.each([
    ['{', 'malformed'],
    ['{"type":"dance"}', 'unknown_data'],
    ['\u0000', 'malformed'],
  ])('reports %j in the data channel as %s, and continues', async (text, type) => {
    const client = await WebRtcClient.join(server.url);
    const { events } = collectEvents(server.transport);
    client.sendRaw(text);
    client.say({ type: 'ping', timestamp: 2 });
    await eventually(() => expect(events).toHaveLength(2));
    await quiet(client, () => events.length);
    expect(events.map((event) => event.type)).toEqual([type, 'data']);
    await client.hangUp();
  });

  it('needs neither a microphone nor a data channel', async () => {
    const client = await WebRtcClient.join(server.url, { data: false, microphone: false });
    const { events } = collectEvents(server.transport);
    server.transport.send(STARTED);
    client.signalling.say({ type: 'ping', timestamp: 3 });
    await eventually(() => {
      expect(events).toHaveLength(1);
      expect(client.signalling.messages).toHaveLength(1);
    });
    await quiet(client, () => events.length);
    expect(client.signalling.messages).toEqual([STARTED]);
    expect(events).toEqual([{ type: 'data', message: { type: 'ping', timestamp: 3 } }]);
    await client.hangUp();
  });

  it('reports a vanished client as lost', async () => {
    const client = await WebRtcClient.join(server.url);
    const { events, ended } = collectEvents(server.transport);
    await client.vanish();
    await ended;
    expect(events.at(-1)).toMatchObject({ type: 'closed', reason: 'lost' });
  });

  it('closes the connection of the client with the end reason, or with 1012 to make it reconnect', async () => {
    const [first, second] = [await WebRtcClient.join(server.url), await WebRtcClient.join(server.url)];
    const [one, other] = server.joins.slice(-2) as [MediaTransport, MediaTransport];
    await one.close('timeout');
    await other.close('service_restart');
    expect(await first.signalling.closed.promise).toEqual({ code: 1000, reason: 'timeout' });
    expect(await second.signalling.closed.promise).toEqual({ code: 1012, reason: '' });
  });

  it('restarts ICE while the call continues', async () => {
    const client = await WebRtcClient.join(server.url);
    const { receiveTransport } = client.ready;
    const { iceParameters } = await client.signalling.request({
      type: 'rtc_restart_ice',
      transportId: receiveTransport.id,
    });
    expect(iceParameters.usernameFragment).not.toBe(receiveTransport.iceParameters.usernameFragment);
    server.transport.write(tone(24_000, 500).next().value as Int16Array);
    await eventually(() => expect(client.packets).toHaveLength(1));
    await client.hangUp();
  });

  it('rejects invalid and out-of-order messages and continues', async () => {
    const client = await WebRtcClient.connect(server.url);
    const { signalling, ready } = client;
    await expect(signalling.request({ type: 'rtc_join' })).rejects.toThrow('out_of_order: rtc_join requires');
    await expect(signalling.request({ type: 'rtc_restart_ice', transportId: 'unknown' })).rejects.toThrow(
      'invalid: unknown transport',
    );
    await expect(
      signalling.request({ type: 'rtc_produce_audio', rtpParameters: { codecs: [] } }),
    ).rejects.toThrow('invalid: rtc_produce_audio');
    await expect(
      signalling.request({
        type: 'rtc_produce_audio',
        rtpParameters: {
          codecs: [{ mimeType: 'audio/PCMU', payloadType: 0, clockRate: 8000 }],
          encodings: [{ ssrc: 1 }],
        },
      }),
    ).rejects.toThrow('invalid: ');
    signalling.socket.send('{"type":"rtc_dance"}');
    signalling.socket.send('{"type":"ping","timestamp":1}');
    signalling.socket.send(Buffer.from([1, 2]));
    await signalling.settled();
    expect(signalling.refused).toEqual([
      expect.stringContaining('invalid: rtc_dance'),
      'out_of_order: not allowed before the response to rtc_join',
      'invalid: binary messages are not supported',
    ]);
    await client.setUp();
    await expect(
      signalling.request({ type: 'rtc_consume', rtpCapabilities: ready.routerRtpCapabilities, data: false }),
    ).rejects.toThrow('out_of_order: rtc_consume was already requested');
    await signalling.request({ type: 'rtc_join' });
    await client.hangUp();
  });

  it('limits the number of processed requests', async () => {
    // Time that passes permits more requests.
    await using timeless = await WebRtcServer.start({ clock: new VirtualClock() });
    const client = await WebRtcClient.connect(timeless.url);
    const { id } = client.ready.sendTransport;
    const answers = await Promise.allSettled(
      Array.from({ length: 60 }, () =>
        client.signalling.request({ type: 'rtc_restart_ice', transportId: id }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(10);
    expect(String((refused[0] as PromiseRejectedResult).reason)).toContain('too many requests');
    await client.hangUp();
  });

  it('releases all resources when either side leaves at any time', async () => {
    await eventually(async () => expect(await dump()).toEqual({ routers: 0, handlers: expect.any(Number) }));
    const before = await dump();
    const join = async (i: number): Promise<void> => {
      const client = await (i % 2 === 0 ? WebRtcClient.connect(server.url) : WebRtcClient.join(server.url));
      if (i % 4 === 1) await server.joins[server.joins.length - 1]?.close('hangup');
      if (i % 4 === 2) await client.vanish();
      else await client.hangUp();
    };
    for (let i = 0; i < 48; i += 4) await Promise.all([0, 1, 2, 3].map((k) => join(i + k)));
    await eventually(async () => expect(await dump()).toEqual(before));
  });

  it('lets each mediasoup worker listen on a free port when the first port is 0', async () => {
    const opened: types.WebRtcServer[] = [];
    const collect = (worker: types.Worker): void => {
      worker.observer.on('newwebrtcserver', (each) => opened.push(each));
    };
    observer.on('newworker', collect);
    const pair = await WebRtcServer.start({ port: 0, workers: 2 });
    observer.off('newworker', collect);
    const dumps = await Promise.all(opened.map((each) => each.dump()));
    await pair[Symbol.asyncDispose]();
    const ports = dumps.flatMap(({ udpSockets }) => udpSockets.map(({ port }) => port));
    expect(new Set(ports).size).toBe(2);
    expect(Math.min(...ports)).toBeGreaterThan(1023);
  });

  it('reconnects clients to a new mediasoup worker when one dies', async () => {
    const client = await WebRtcClient.join(server.url);
    const { events, ended } = collectEvents(server.transport);
    const [worker] = server.webRtc.workers;
    process.kill(worker?.pid ?? 0, 'SIGKILL');
    expect(await client.signalling.closed.promise).toEqual({ code: 1012, reason: '' });
    await ended;
    expect(events.at(-1)).toMatchObject({ type: 'closed', reason: 'lost' } satisfies Partial<TransportEvent>);
    expect(server.webRtc.unavailableReason).toContain('mediasoup worker');
    await eventually(() => expect(server.webRtc.unavailableReason).toBeNull());
    const again = await WebRtcClient.join(server.url);
    await again.hangUp();
    const outcomes = server.outcomes.map(({ outcome }) => outcome);
    expect(outcomes).toEqual(expect.arrayContaining(['worker_died', 'lost_worker', 'ice_restarted']));
  });
});
