import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { decodeMuLaw, encodeMuLaw } from '@calls/audio/g711';
import { systemClock } from '@calls/foundation/clock';
import { findFreePorts } from '@calls/local-stack/free-port';
import { readRtpPacket } from '@calls/transports/rtp/rtp-packet';
import { RtpSender } from '@calls/transports/rtp/rtp-sender';
import { describeMediaTransport } from '@calls/testkit/conformance/media-transport';
import { LOSSY_SOUND } from '@calls/testkit/conformance/sound';
import { RtpThread } from '@calls/transports/rtp-thread/rtp-thread';
import { silentLogger } from '@calls/foundation/logger';
import { NoRtpPortError, RtpPorts } from '@calls/transports/rtp-thread/rtp-ports';
import { eventually } from '../support/eventually.ts';
import { isRefusal } from '@calls/transports/sip/remote-media';
import { SipMedia } from '@calls/transports/sip/sip-media';
import type { SipMediaSample } from '@calls/transports/sip/sip-media-meter';

const HOST = '127.0.0.1';
const BEAT_MS = 20;
const BEAT_SAMPLES = 160;
const RTP_PORTS = 100;
/** Packets of silence that prove that whatever was written before is sent. */
const PACKETS_AFTER = 3;
const clock = systemClock;

const firstPort = await findFreePorts(RTP_PORTS);
const engine = await RtpThread.start({ log: silentLogger, clock });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
});

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

const OWN = Buffer.from('from the phone itself');

/** The media endpoint of a phone: one UDP port. */
class Phone {
  readonly #socket: Socket;
  /** Sends to the phone itself. */
  readonly #own = createSocket('udp4');
  readonly #sender = new RtpSender({
    ssrc: 7,
    payloadType: 0,
    clockRateHz: 8000,
    firstSequenceNumber: 65_533,
    firstTimestamp: 0,
    retainsPackets: true,
  });
  #spokenMs = 0;
  /** All payloads, including silence. */
  readonly packets: Buffer[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (bytes) => {
      if (!bytes.equals(OWN)) this.packets.push(bytes);
    });
    cleanUps.push(() => {
      socket.close();
      this.#own.close();
    });
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

  /** Resolves when packets that had arrived in the socket's buffer were read, however busy the machine is. */
  async readAll(): Promise<void> {
    const read = new Promise<void>((resolve) => {
      const onMessage = (bytes: Buffer): void => {
        if (!bytes.equals(OWN)) return;
        this.#socket.off('message', onMessage);
        resolve();
      };
      this.#socket.on('message', onMessage);
    });
    this.#own.send(OWN, this.#socket.address().port, HOST);
    await read;
  }

  /** Resolves when packets that were sent from now on have come. */
  async receivesMore(count: number): Promise<void> {
    await this.readAll();
    const before = this.packets.length;
    await eventually(() => expect(this.packets.length).toBeGreaterThanOrEqual(before + count));
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
  const range = { first: firstPort, last: firstPort + RTP_PORTS - 1 };
  const ports = new RtpPorts({ host: HOST, range, engine });
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

describeMediaTransport('SipTransport', {
  sound: LOSSY_SOUND,
  carriesMessages: false,
  notifiesClear: false,
  async connect() {
    const { ports, phone, port, transport } = await connect();
    let [spoken, received] = [0, 0];
    const { events } = transport;
    const takeAudio = events.takeAudio.bind(events);
    events.takeAudio = (take) =>
      takeAudio((samples) => {
        received += samples.length;
        take(samples);
      });
    const settled = async (): Promise<void> => {
      // A closed channel sends nothing.
      if (ports.taken === 0) return;
      await phone.readAll();
      const enough = phone.packets.length + PACKETS_AFTER;
      const isSettled = (): boolean => phone.packets.length >= enough && received >= spoken;
      await eventually(() => expect(ports.taken === 0 || isSettled()).toBe(true));
    };
    return {
      transport,
      client: {
        speak: (samples) => {
          spoken += samples.length;
          phone.speak(samples, port);
        },
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
    const beganMs = clock.nowMs();
    const { phone } = await connect();
    await phone.receivesMore(10);
    const mostPackets = (clock.nowMs() - beganMs) / BEAT_MS + 1;
    expect(phone.packets.length).toBeLessThanOrEqual(mostPackets);
    expect(phone.received()).toEqual([]);
    const [first, ...others] = phone.packets.map((bytes) => readRtpPacket(bytes)!);
    for (const [i, { sequenceNumber, timestamp }] of others.entries()) {
      expect((sequenceNumber - first!.sequenceNumber) & 0xffff).toBe(i + 1);
      const beats = ((timestamp - first!.timestamp) >>> 0) / BEAT_SAMPLES;
      expect(Number.isInteger(beats)).toBe(true);
      // A larger value means that the machine stalled.
      expect(beats).toBeGreaterThanOrEqual(i + 1);
    }
  });

  it('sends to the new address when the phone renegotiates', async () => {
    const { media, phone } = await connect();
    const other = await Phone.open();
    expect(media.reoffer(other.sdp())).toContain('m=audio');
    await other.receivesMore(PACKETS_AFTER);
    await phone.readAll();
    const before = phone.packets.length;
    await other.receivesMore(PACKETS_AFTER);
    await phone.readAll();
    expect(phone.packets).toHaveLength(before);
  });

  it('sends nothing to the address of a rejected offer', async () => {
    const { media, phone } = await connect();
    expect(media.reoffer(phone.sdp(53))).toBeNull();
    await phone.receivesMore(PACKETS_AFTER);
  });

  it('releases its port on end and reuses it last', async () => {
    // Two even ports.
    const free = await findFreePorts(6);
    const first = free % 2 === 0 ? free + 1 : free;
    const range = { first, last: first + 4 };
    const ports = new RtpPorts({ host: HOST, range, engine });
    const options = { ports, address: HOST, meter: { sample: () => undefined }, clock };
    const portOf = (media: SipMedia): number => Number(/^m=audio (\d+)/mu.exec(media.offer())?.[1]);
    const one = await SipMedia.open(options);
    const second = await SipMedia.open(options);
    expect([portOf(one), portOf(second), ports.taken]).toEqual([first + 1, first + 3, 2]);
    await expect(SipMedia.open(options)).rejects.toThrow(NoRtpPortError);
    await one[Symbol.asyncDispose]();
    await one[Symbol.asyncDispose]();
    await eventually(() => expect(ports.taken).toBe(1));
    const third = await SipMedia.open(options);
    expect([portOf(third), ports.taken]).toEqual([first + 1, 2]);
    for (const media of [second, third]) await media[Symbol.asyncDispose]();
  });

  it('skips a port that another process uses', async () => {
    const free = await findFreePorts(4);
    const first = free + (free % 2);
    const others = createSocket('udp4');
    others.bind(first, HOST);
    await once(others, 'listening');
    cleanUps.push(() => others.close());
    const ports = new RtpPorts({ host: HOST, range: { first, last: first + 2 }, engine });
    await using media = await SipMedia.open({
      ports,
      address: HOST,
      meter: { sample: () => undefined },
      clock,
    });
    expect(media.offer()).toContain(`m=audio ${first + 2} `);
    expect(ports.taken).toBe(1);
  });
});
