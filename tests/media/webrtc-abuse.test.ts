import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { SignalRequest } from '@calls/api-contract/signalling/signal-requests';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import type { WhipJoin } from '@calls/transports/webrtc/whip/whip-join';
import { classes, Message, methods } from 'werift';
import { eventually } from '../support/eventually.ts';
import { MinimalClient } from '../support/webrtc/minimal-client.ts';
import { SignallingSocket } from '../support/webrtc/signalling-socket.ts';
import { SrtpLeg } from '../support/webrtc/srtp-leg.ts';
import { collectEvents, WebRtcServer } from '../support/webrtc/web-rtc-server.ts';
import { WebRtcClient } from '../support/webrtc/webrtc-client.ts';

const clients = new Set<MinimalClient>();

const server = await WebRtcServer.start();
const workerPid = server.webRtc.workers[0]?.pid;
afterEach(async () => {
  await WebRtcClient.stopAll();
  for (const client of clients) client.vanish();
  clients.clear();
  // Abuse never crashes the mediasoup worker and leaves no resources behind.
  expect(server.webRtc.workers[0]?.pid).toBe(workerPid);
  await eventually(() => expect(server.webRtc.connections).toBe(0));
});
afterAll(() => server[Symbol.asyncDispose]());

const OPUS_SILENCE = Uint8Array.of(0xf8, 0xff, 0xfe);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A client in a call, and the audio that the call receives from it. */
async function inCall(): Promise<{ client: MinimalClient; call: ReturnType<typeof collectEvents> }> {
  const client = await MinimalClient.join(server.url);
  clients.add(client);
  return { client, call: collectEvents(server.transport) };
}

const audioIn = ({ events }: ReturnType<typeof collectEvents>): number =>
  events.filter(({ type }) => type === 'audio').length;

/** Repeats until the call receives speech, because packets may overtake the join. */
async function expectAudible({ client, call }: Awaited<ReturnType<typeof inCall>>): Promise<void> {
  const before = audioIn(call);
  await eventually(() => {
    client.speak(OPUS_SILENCE);
    expect(audioIn(call)).toBeGreaterThan(before);
  });
}

describe('a malicious WebRTC client', () => {
  it('can send packets with any content and is audible when it speaks again', async () => {
    const bad = await inCall();
    const contents = [
      new Uint8Array(),
      ...Array.from({ length: 300 }, (_, i) => randomBytes((i % 1200) + 1)),
    ];
    for (const content of contents) bad.client.speak(content);
    // Opus code 3 packets that declare more frames or padding than they contain (RFC 6716, 3.2.5).
    for (const content of [[0xff], [0xff, 0xff], [0xff, 0x7f, 0xff, 0xff], [0xff, 0x00], [0xfe, 0xff]]) {
      bad.client.speak(Uint8Array.from(content));
    }
    await expectAudible(bad);
    await bad.client.hangUp();
  });

  it('can send invalid datagrams to the shared media port without effect', async () => {
    const good = await inCall();
    const { receiveTransport } = await good.client.signalling.ready.promise;
    const [candidate] = receiveTransport.iceCandidates;
    const socket = createSocket('udp4');
    for (let i = 0; i < 500; i += 1) {
      const datagram = randomBytes((i % 1400) + 1);
      // STUN, DTLS or RTP according to the first byte (RFC 7983).
      datagram[0] = [0, 1, 20, 22, 23, 63, 128, 191, 255][i % 9] ?? 0;
      socket.send(datagram, candidate?.port, candidate?.address);
    }
    await expectAudible(good);
    socket.close();
    await good.client.hangUp();
  });

  it('cannot use the media port for traffic amplification', async () => {
    const signalling = new SignallingSocket(server.url);
    const { iceParameters, iceCandidates } = (await signalling.ready.promise).sendTransport;
    const socket = createSocket('udp4');
    const answered: number[] = [];
    socket.on('message', (data) => answered.push(data.byteLength));
    let asked = 0;
    const ask = (ufrag: string, password: string): void => {
      const request = new Message(methods.BINDING, classes.REQUEST)
        .setAttribute('USERNAME', `${ufrag}:abcd`)
        .setAttribute('PRIORITY', 1)
        .setAttribute('ICE-CONTROLLING', 1n);
      const { bytes } = request.addMessageIntegrity(Buffer.from(password)).addFingerprint();
      asked += bytes.byteLength;
      socket.send(bytes, iceCandidates[0]?.port, iceCandidates[0]?.address);
    };
    for (let i = 0; i < 20; i += 1) ask('unknown', 'invalid password');
    await signalling.settled();
    await pause(200);
    expect(answered).toEqual([]);
    for (let i = 0; i < 20; i += 1) ask(iceParameters.usernameFragment, 'a password that is none');
    for (let i = 0; i < 20; i += 1) ask(iceParameters.usernameFragment, iceParameters.password);
    await eventually(() => expect(answered.length).toBeGreaterThanOrEqual(20));
    await pause(100);
    expect(answered.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(asked);
    socket.close();
    signalling.socket.close(1000);
    await signalling.closed.promise;
  });

  it('is disconnected when it floods the call with packets, without affecting others', async () => {
    const [bad, good] = [await inCall(), await inCall()];
    const { socket } = bad.client.signalling;
    for (let i = 0; socket.readyState === socket.OPEN && i < 100_000; i += 1) {
      bad.client.speak(OPUS_SILENCE);
      // Sends as fast as the event loops of both sides allow. A busy machine drops packets.
      if (i % 100 === 0) await pause(1);
    }
    expect(await bad.client.signalling.closed.promise).toEqual({ code: 1012, reason: '' });
    await bad.call.ended;
    expect(bad.call.events.at(-1)).toMatchObject({
      reason: 'lost',
      detail: 'the client sends too many packets',
    });
    expect(server.outcomes).toContainEqual({ outcome: 'lost_flood', durationMs: 0 });
    bad.client.stopMedia();
    await expectAudible(good);
    await good.client.hangUp();
  });

  it('is disconnected when it floods the data channel', async () => {
    // The test client is slower than the permitted rate; with a virtual clock no time passes.
    await using timeless = await WebRtcServer.start({ clock: new VirtualClock() });
    const client = await WebRtcClient.join(timeless.url);
    const { events, ended } = collectEvents(timeless.transport);
    const isOver = (): boolean => events.at(-1)?.type === 'closed';
    for (let sent = 0; !isOver() && sent < 9000;) {
      for (let i = 0; i < 50; i += 1)
        client.sendRaw(JSON.stringify({ type: 'ping', timestamp: (sent += 1) }));
      // Further messages could be lost if the media server is late, and the test client hardly recovers from that.
      const message = { type: 'ping', timestamp: sent };
      await eventually(() => isOver() || expect(events.at(-1)).toMatchObject({ message }));
    }
    await ended;
    expect(events.at(-1)).toMatchObject({
      reason: 'lost',
      detail: 'the client sends too many data messages',
    });
    expect(await client.signalling.closed.promise).toEqual({ code: 1012, reason: '' });
  });

  it('is slowed down by backpressure when it floods the socket', async () => {
    const { client, call } = await inCall();
    const { socket } = client.signalling;
    const text = `{"type":"ping","timestamp":1,"x":"${'x'.repeat(250_000)}"}`;
    const startMs = performance.now();
    for (let i = 0; i < 100; i += 1) socket.send(text);
    // 8 MiB burst, then 1 MiB per second.
    await eventually(() => expect(call.events.length).toBeGreaterThan(32));
    await pause(200);
    const mostBytes = (9 + (performance.now() - startMs) / 1000) * 1024 * 1024;
    expect(call.events.length).toBeLessThan(mostBytes / 250_000);
    // Unread data does not prevent the end of the call.
    await server.transport.close('timeout');
    expect(await client.signalling.closed.promise).toEqual({ code: 1000, reason: 'timeout' });
    client.stopMedia();
  });

  it('receives “too many requests” for requests above the rate limit', async () => {
    // Time that passes permits more requests.
    await using timeless = await WebRtcServer.start({ clock: new VirtualClock() });
    const signalling = new SignallingSocket(timeless.url);
    await signalling.ready.promise;
    for (let i = 0; i < 1000; i += 1) signalling.socket.send('{"type":"rtc_dance"}');
    await signalling.settled();
    const isOneTooMany = signalling.refused.map((why) => why.endsWith('too many requests'));
    expect(isOneTooMany).toEqual(Array.from({ length: 1000 }, (_, i) => i >= 50));
    signalling.socket.close(1000);
    await signalling.closed.promise;
  });

  it('cannot create the same resource twice', async () => {
    const { client } = await inCall();
    const { signalling } = client;
    const { sendTransport, receiveTransport, routerRtpCapabilities } = await signalling.ready.promise;
    const dtlsParameters = { fingerprints: [{ algorithm: 'sha-256' as const, value: 'AB' }] };
    const codecs = [{ mimeType: 'audio/opus', payloadType: 100, clockRate: 48_000, channels: 2 }];
    type Asked = SignalRequest extends infer R ? (R extends unknown ? Omit<R, 'requestId'> : never) : never;
    const requests: Asked[] = [
      { type: 'rtc_connect_transport', transportId: sendTransport.id, dtlsParameters },
      { type: 'rtc_connect_transport', transportId: receiveTransport.id, dtlsParameters },
      { type: 'rtc_produce_audio', rtpParameters: { codecs, encodings: [{ ssrc: 5 }] } },
      { type: 'rtc_consume', rtpCapabilities: routerRtpCapabilities, data: false },
      { type: 'rtc_join' },
    ];
    for (const request of requests) {
      await expect(signalling.request(request)).rejects.toThrow(/out_of_order: .* was already requested/u);
    }
    await client.hangUp();
  });

  it('can set up three connections per call at a time without blocking other calls', async () => {
    const url = `${server.url}/one-call`;
    const sockets = Array.from({ length: 3 }, () => new SignallingSocket(url));
    await Promise.all(sockets.map(({ ready }) => ready.promise));
    const more = Array.from({ length: 20 }, () => new SignallingSocket(url));
    const elsewhere = new SignallingSocket(server.url);
    await elsewhere.ready.promise;
    const closings = await Promise.all(
      [...sockets, ...more.slice(0, 17)].map(({ closed }) => closed.promise),
    );
    expect(closings).toEqual(Array(20).fill({ code: 4409, reason: 'already_joined' }));
    const last = more.slice(17);
    expect(last.map(({ socket }) => socket.readyState)).toEqual([1, 1, 1]);
    for (const { socket } of [...last, elsewhere]) socket.close(1000);
    await Promise.all([...last, elsewhere].map(({ closed }) => closed.promise));
    expect(server.outcomes.filter(({ outcome }) => outcome === 'replaced')).toHaveLength(20);
  });
});

describe('a WebRTC client that does not complete its setup', () => {
  const OFFER = [
    'v=0',
    'a=fingerprint:sha-256 AB:CD',
    'm=audio 9 UDP/TLS/RTP/SAVPF 111',
    'a=rtpmap:111 opus/48000/2',
    'a=ssrc:1 cname:c',
    '',
  ].join('\r\n');
  const SPEC = { kind: 'webRtc', dataMessages: {} } as const;

  it('is removed after 15 seconds, for socket joins and for offers', async () => {
    const clock = new VirtualClock();
    await using patient = await WebRtcServer.start({ clock });
    const signalling = new SignallingSocket(patient.url);
    const { receiveTransport, routerRtpCapabilities } = await signalling.ready.promise;
    // All requests are sent, but the DTLS handshake never starts.
    const dtlsParameters = { fingerprints: [{ algorithm: 'sha-256' as const, value: 'AB:CD' }] };
    await signalling.request({ type: 'rtc_consume', rtpCapabilities: routerRtpCapabilities, data: false });
    const transportId = receiveTransport.id;
    await signalling.request({ type: 'rtc_connect_transport', transportId, dtlsParameters });
    const joining = signalling.request({ type: 'rtc_join' }).catch((thrown: unknown) => String(thrown));
    const offered = await patient.webRtc.answer({ callId: 'a call', spec: SPEC, deadlineMs: 0 }, OFFER);
    await signalling.settled();
    expect(patient.webRtc.connections).toBe(2);
    await clock.advance(14_999);
    expect(patient.webRtc.connections).toBe(2);
    await clock.advance(1);
    expect(await signalling.closed.promise).toEqual({ code: 4408, reason: 'media_not_connected' });
    expect(await joining).toContain('closed with 4408');
    expect(await offered?.connected).toBeNull();
    expect(patient.webRtc.connections).toBe(0);
    expect(patient.outcomes.map(({ outcome }) => outcome)).toEqual(['not_connected', 'not_connected']);
  });

  it('is rejected when its certificate does not match the signalled fingerprint', async () => {
    const clock = new VirtualClock();
    await using patient = await WebRtcServer.start({ clock });
    const signalling = new SignallingSocket(patient.url);
    const { receiveTransport, routerRtpCapabilities } = await signalling.ready.promise;
    const leg = await SrtpLeg.open(receiveTransport);
    const value = Array.from(randomBytes(32), (byte) => byte.toString(16).padStart(2, '0')).join(':');
    await signalling.request({ type: 'rtc_consume', rtpCapabilities: routerRtpCapabilities, data: false });
    await signalling.request({
      type: 'rtc_connect_transport',
      transportId: receiveTransport.id,
      dtlsParameters: { role: 'client', fingerprints: [{ algorithm: 'sha-256', value }] },
    });
    const joining = signalling.request({ type: 'rtc_join' }).catch((thrown: unknown) => String(thrown));
    let packets = 0;
    leg.onPacket = () => (packets += 1);
    await Promise.race([leg.connect().catch(() => undefined), pause(1000)]);
    await clock.advance(15_000);
    expect(await joining).toContain('closed with 4408');
    expect([patient.joins.length, packets]).toEqual([0, 0]);
    leg.close();
  });

  it('can have three offers per call in progress', async () => {
    const joins: WhipJoin[] = [];
    for (let i = 0; i < 5; i += 1) {
      const join = await server.webRtc.answer({ callId: 'offered', spec: SPEC, deadlineMs: 0 }, OFFER);
      if (join) joins.push(join);
    }
    expect(await Promise.all(joins.slice(0, 2).map(({ connected }) => connected))).toEqual([null, null]);
    expect(server.webRtc.connections).toBe(3);
    for (const join of joins) join.hangUp();
    await Promise.all(joins.map(({ ended }) => ended));
  });
});
