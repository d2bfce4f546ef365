import { randomInt } from 'node:crypto';
import { DATA_CHANNEL_LABEL } from '@calls/api-contract/signalling/signal-messages';
import type { types } from 'mediasoup';
import type { PacketCounts } from '../link-statistics.ts';
import type { RtpChannel } from '../rtp-thread/rtp-channel.ts';
import type { RtpThread } from '../rtp-thread/rtp-thread.ts';
import { agentRtpParameters, routerCodecs, type PayloadTypes } from './codecs.ts';
import { FREE_PORTS } from './listen-infos.ts';
import type { MediaLoss } from './web-rtc-meter.ts';
import type { WorkerSlot } from './worker-pool.ts';

/** Longer data messages are sent over the socket. */
export const MAX_DATA_CHANNEL_BYTES = 16 * 1024;
/** Allows for the loss of two consent checks (RFC 7675: one every 4 to 6 s). */
const ICE_CONSENT_S = 15;
/** A client with more unread data loses messages. */
const MAX_UNSENT_DATA_BYTES = 1024 * 1024;
/** Opus has at most 400 packets per second. The burst follows an outage of the network. */
export const PACKET_LIMITS = { burst: 1000, perSecond: 500 };
/** Limit of packets that reach this thread. Higher, so that the thread detects clients that exceed PACKET_LIMITS. */
const FORWARDED_LIMITS = { burst: 2 * PACKET_LIMITS.burst, perSecond: 2 * PACKET_LIMITS.perSecond };
const LOOPBACK = '127.0.0.1';

export interface MediaRoomListener {
  /** Called with each data message of the client. */
  onData(bytes: Buffer): void;
  /** The mediasoup worker died, or the client does not read data messages. Not called after `close`. */
  onLost(reason: MediaLoss, detail: string): void;
}

/** The agent's side of a room. */
interface AgentSide {
  data: types.DirectTransport;
  dataProducer: types.DataProducer;
  audio: types.PlainTransport;
  audioProducer: types.Producer;
  ssrc: number;
  rtp: RtpChannel;
}

/**
 * One client's call in mediasoup: a router with transports for the agent and, as negotiated, for the client. The agent's
 * audio is exchanged with the RTP thread over loopback. Closing the room closes everything in it.
 */
export class MediaRoom {
  readonly #router: types.Router;
  readonly #place: WorkerSlot;
  readonly #agent: AgentSide;
  readonly #listener: MediaRoomListener;
  readonly #transports: types.WebRtcTransport[] = [];
  #clientAudio: types.Consumer | null = null;
  #clientData: { consumer: types.DataConsumer; transport: types.WebRtcTransport } | null = null;

  private constructor(
    place: WorkerSlot,
    router: types.Router,
    agent: AgentSide,
    listener: MediaRoomListener,
  ) {
    this.#place = place;
    this.#router = router;
    this.#agent = agent;
    this.#listener = listener;
    router.once('workerclose', () => {
      place[Symbol.dispose]();
      listener.onLost('worker', 'the mediasoup worker died');
    });
  }

  /** The room releases the place when it closes or cannot be opened. */
  static async open(
    place: WorkerSlot,
    rtp: Pick<RtpThread, 'openTo'>,
    payloadTypes: PayloadTypes,
    listener: MediaRoomListener,
  ): Promise<MediaRoom> {
    let router: types.Router | null = null;
    try {
      router = await place.worker.createRouter({ mediaCodecs: routerCodecs(payloadTypes) });
      const [data, audio] = await Promise.all([openData(router), openAudio(router, rtp, payloadTypes)]);
      return new MediaRoom(place, router, { ...data, ...audio }, listener);
    } catch (thrown) {
      router?.close();
      place[Symbol.dispose]();
      throw thrown;
    }
  }

  /** RTP channel of the agent's and the user's audio. */
  get rtp(): RtpChannel {
    return this.#agent.rtp;
  }

  get agentSsrc(): number {
    return this.#agent.ssrc;
  }

  get rtpCapabilities(): types.RtpCapabilities {
    return this.#router.rtpCapabilities;
  }

  get closed(): boolean {
    return this.#router.closed;
  }

  createTransport({ hasData }: { hasData: boolean }): Promise<types.WebRtcTransport> {
    const making = this.#router.createWebRtcTransport({
      webRtcServer: this.#place.server,
      preferUdp: true,
      iceConsentTimeout: ICE_CONSENT_S,
      ...(hasData && {
        enableSctp: true,
        maxSendMessageSize: MAX_DATA_CHANNEL_BYTES,
        maxReceiveMessageSize: MAX_DATA_CHANNEL_BYTES,
        sctpSendBufferSize: MAX_UNSENT_DATA_BYTES,
        sctpPerStreamSendQueueLimit: MAX_UNSENT_DATA_BYTES,
      }),
    });
    // Registered immediately, so that closing the room also closes it.
    const listed = making.then((transport) => {
      this.#transports.push(transport);
      return transport;
    });
    return this.#ifOpen(listed);
  }

  /** Receives the user's microphone. */
  async takeAudio(transport: types.WebRtcTransport, rtpParameters: types.RtpParameters): Promise<string> {
    const producer = await this.#ifOpen(transport.produce({ kind: 'audio', rtpParameters }));
    const { rtpCapabilities } = this;
    await this.#ifOpen(this.#agent.audio.consume({ producerId: producer.id, rtpCapabilities }));
    return producer.id;
  }

  /** Opens the client's direction of the data channel. */
  async takeData(
    transport: types.WebRtcTransport,
    sctpStreamParameters: types.SctpStreamParameters,
  ): Promise<string> {
    const producer = await this.#ifOpen(
      transport.produceData({ sctpStreamParameters, label: DATA_CHANNEL_LABEL }),
    );
    const consumer = await this.#ifOpen(this.#agent.data.consumeData({ dataProducerId: producer.id }));
    consumer.on('message', (bytes) => this.#listener.onData(bytes));
    return producer.id;
  }

  /** Sends the agent's audio to the client. */
  async giveAudio(
    transport: types.WebRtcTransport,
    rtpCapabilities: types.RtpCapabilities,
    mid?: string,
  ): Promise<types.Consumer> {
    const consumer = await this.#ifOpen(
      transport.consume({
        producerId: this.#agent.audioProducer.id,
        rtpCapabilities,
        enableRtx: true,
        ...(mid !== undefined && { mid }),
      }),
    );
    this.#clientAudio = consumer;
    return consumer;
  }

  /** Sent packets and loss according to the client's reports; null if unknown. Never rejects. */
  async sent(): Promise<(PacketCounts & { roundTripMs: number | null }) | null> {
    const stats = await this.#clientAudio?.getStats().catch(() => null);
    const own = stats?.find(({ type }) => type === 'outbound-rtp');
    if (!own) return null;
    return { packets: own.packetCount, lost: own.packetsLost, roundTripMs: own.roundTripTime ?? null };
  }

  /** Opens the service's direction of the data channel. */
  async giveData(transport: types.WebRtcTransport): Promise<types.DataConsumer> {
    const consumer = await this.#ifOpen(
      transport.consumeData({ dataProducerId: this.#agent.dataProducer.id, ordered: true }),
    );
    this.#clientData = { consumer, transport };
    consumer.on('sctpsendbufferfull', () =>
      this.#listener.onLost('unread', 'the client does not read data messages'),
    );
    return consumer;
  }

  /** Returns false, without sending, if the message is too long or there is no data channel. */
  sendData(text: string): boolean {
    if (this.closed || this.#clientData?.transport.sctpState !== 'connected') return false;
    if (Buffer.byteLength(text) > MAX_DATA_CHANNEL_BYTES) return false;
    this.#agent.dataProducer.send(text);
    return true;
  }

  /** Idempotent. */
  close(): void {
    this.#router.removeAllListeners('workerclose');
    // mediasoup 3.27 does not release transports when their router closes.
    for (const transport of this.#transports) transport.close();
    this.#agent.audio.close();
    this.#router.close();
    this.#place[Symbol.dispose]();
  }

  /** Closes an object that mediasoup creates after the room has closed. */
  async #ifOpen<T extends { close(): void }>(making: Promise<T>): Promise<T> {
    const made = await making;
    if (!this.closed) return made;
    made.close();
    throw new Error('the room is closed');
  }
}

async function openData(router: types.Router): Promise<Pick<AgentSide, 'data' | 'dataProducer'>> {
  const data = await router.createDirectTransport({ maxReceiveMessageSize: MAX_DATA_CHANNEL_BYTES });
  return { data, dataProducer: await data.produceData({ label: DATA_CHANNEL_LABEL }) };
}

/** Opens the audio over loopback. Each end accepts packets of the other only. */
async function openAudio(
  router: types.Router,
  engine: Pick<RtpThread, 'openTo'>,
  payloadTypes: PayloadTypes,
): Promise<Omit<AgentSide, 'data' | 'dataProducer'>> {
  const ssrc = randomInt(1, 2 ** 32);
  const audio = await router.createPlainTransport({
    listenInfo: { protocol: 'udp', ip: LOOPBACK, portRange: FREE_PORTS },
  });
  const peer = { address: LOOPBACK, port: audio.tuple.localPort };
  const [audioProducer, rtp] = await Promise.all([
    audio.produce({ kind: 'audio', rtpParameters: agentRtpParameters(ssrc, payloadTypes) }),
    engine.openTo({ host: LOOPBACK, peer, limits: FORWARDED_LIMITS }).then((opened) => {
      router.observer.once('close', () => opened.close());
      if (router.closed) opened.close();
      return opened;
    }),
  ]);
  await audio.connect({ ip: LOOPBACK, port: rtp.port });
  return { audio, audioProducer, ssrc, rtp };
}

/** Whether mediasoup rejected a client's request as invalid, rather than failing. */
export function isClientError({ name }: Error): boolean {
  return name === 'TypeError' || name === 'UnsupportedError';
}
