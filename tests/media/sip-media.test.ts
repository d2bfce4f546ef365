import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeMuLaw, encodeMuLaw } from '@calls/audio/g711';
import { delay, systemClock } from '@calls/foundation/clock';
import { readRtpPacket } from '@calls/transports/rtp/rtp-packet';
import { RtpSender } from '@calls/transports/rtp/rtp-sender';
import { describeMediaTransport } from '@calls/testkit/conformance/media-transport';
import { LOSSY_SOUND } from '@calls/testkit/conformance/sound';
import { RtpThread } from '@calls/transports/sip/rtp-thread';
import { silentLogger } from '@calls/foundation/logger';
import { NoRtpPortError, RtpPorts } from '@calls/transports/sip/rtp-ports';
import { eventually } from '../support/eventually.ts';
import { isRefusal } from '@calls/transports/sip/remote-media';
import { SipMedia } from '@calls/transports/sip/sip-media';
import type { SipMediaSample } from '@calls/transports/sip/sip-media-meter';

const HOST = '127.0.0.1';
const BEAT_MS = 20;
/** Port range of these tests, separate from that of other tests. */
const RANGE = { first: 19_000, last: 19_198 };
const clock = systemClock;

let engine: RtpThread;
beforeAll(async () => {
  engine = await RtpThread.start({ log: silentLogger, clock });
});
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
});

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** The media endpoint of a phone: one UDP port. */
class Phone {
  readonly #socket: Socket;
  readonly #sender = new RtpSender({
    ssrc: 7,
    payloadType: 0,
    clockRateHz: 8000,
    firstSequenceNumber: 65_533,
    firstTimestamp: 0,
    areKept: true,
  });
  #spokenMs = 0;
  /** All payloads, including silence. */
  readonly packets: Buffer[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (bytes) => void this.packets.push(bytes));
    cleanUps.push(() => socket.close());
  }

  static async open(): Promise<Phone> {
    const socket = createSocket('udp4');
    socket.bind(0, HOST);
    await once(socket, 'listening');
    return new Phone(socket);
  }

  sdp(port = this.#socket.address().port): string {
    return `v=0\r\no=- 1 1 IN IP4 ${HOST}\r\ns=-\r\nc=IN IP4 ${HOST}\r\nt=0 0\r\nm=audio ${port} RTP/AVP 0\r\n`;
  }

  speak(samples: Int16Array, port: number): void {
    this.#socket.send(this.#sender.audio(encodeMuLaw(samples), this.#spokenMs, BEAT_MS), port, HOST);
    this.#spokenMs += BEAT_MS;
  }

  /** Payloads that are not silence. */
  received(): number[] {
    const payloads = this.packets.map((bytes) => readRtpPacket(bytes)?.payload ?? new Uint8Array(0));
    return payloads
      .filter((bytes) => bytes.some((byte) => byte !== 0xff))
      .flatMap((bytes) => [...decodeMuLaw(bytes)]);
  }
}

async function connect() {
  const ports = new RtpPorts({ host: HOST, range: RANGE, engine });
  const samples: SipMediaSample[] = [];
  const meter = { sample: (sample: SipMediaSample): void => void samples.push(sample) };
  const media = await SipMedia.open({ ports, address: HOST, meter, clock });
  const phone = await Phone.open();
  const answer = media.answer(phone.sdp());
  if (isRefusal(answer)) throw new Error(answer.reason);
  const port = Number(/^m=audio (\d+)/mu.exec(answer)?.[1]);
  const transport = media.transport({
    hangUp: () => Promise.resolve(),
    transfer: () => Promise.resolve(false),
  });
  cleanUps.push(() => transport.ended('local'));
  return { ports, media, phone, port, transport, samples };
}

/** Sends written audio with the next ticks of virtual time. */
const settled = (): Promise<void> => delay(clock, 3 * BEAT_MS);

describeMediaTransport('SipTransport', {
  sound: LOSSY_SOUND,
  carriesMessages: false,
  notifiesClear: false,
  async connect() {
    const { phone, port, transport } = await connect();
    return {
      transport,
      client: {
        speak: (samples) => phone.speak(samples, port),
        say: () => undefined,
        hangUp: () => void settled().then(() => transport.ended('remote')),
        settled,
        playedSamples: () => phone.received(),
        messages: () => [],
        clears: () => 0,
      },
    };
  },
});

describe('SipMedia', () => {
  it('sends a steady stream of silence before any speech', async () => {
    const { phone } = await connect();
    await delay(clock, 10 * BEAT_MS);
    expect(phone.packets.length).toBeGreaterThanOrEqual(8);
    expect(phone.packets.length).toBeLessThanOrEqual(11);
    expect(phone.received()).toEqual([]);
  });

  it('sends to the new address when the phone renegotiates', async () => {
    const { media, phone } = await connect();
    const other = await Phone.open();
    expect(media.reoffer(other.sdp())).toContain('m=audio');
    await settled();
    const before = phone.packets.length;
    expect(other.packets.length).toBeGreaterThan(0);
    await settled();
    expect(phone.packets).toHaveLength(before);
  });

  it('sends nothing to the address of a rejected offer', async () => {
    const { media, phone } = await connect();
    expect(media.reoffer(phone.sdp(53))).toBeNull();
    await settled();
    expect(phone.packets.length).toBeGreaterThan(0);
  });

  it('releases its port on end and reuses it last', async () => {
    const range = { first: 19_201, last: 19_205 };
    const ports = new RtpPorts({ host: HOST, range, engine });
    const options = { ports, address: HOST, meter: { sample: () => undefined }, clock };
    const portOf = (media: SipMedia): number => Number(/^m=audio (\d+)/mu.exec(media.offer())?.[1]);
    const first = await SipMedia.open(options);
    const second = await SipMedia.open(options);
    expect([portOf(first), portOf(second), ports.taken]).toEqual([19_202, 19_204, 2]);
    await expect(SipMedia.open(options)).rejects.toThrow(NoRtpPortError);
    await first[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    await eventually(() => expect(ports.taken).toBe(1));
    const third = await SipMedia.open(options);
    expect([portOf(third), ports.taken]).toEqual([19_202, 2]);
    for (const media of [second, third]) await media[Symbol.asyncDispose]();
  });

  it('skips a port that another process uses', async () => {
    const others = createSocket('udp4');
    others.bind(19_206, HOST);
    await once(others, 'listening');
    cleanUps.push(() => others.close());
    const ports = new RtpPorts({ host: HOST, range: { first: 19_206, last: 19_208 }, engine });
    await using media = await SipMedia.open({
      ports,
      address: HOST,
      meter: { sample: () => undefined },
      clock,
    });
    expect(media.offer()).toContain('m=audio 19208 ');
    expect(ports.taken).toBe(1);
  });
});
