import { randomInt } from 'node:crypto';
import { DATA_CHANNEL_LABEL } from '@calls/api-contract/signalling/signal-messages';
import type { types } from 'mediasoup';
import type { PacketCounts } from '../link-statistics.ts';
import { agentRtpParameters, routerCodecs, type PayloadTypes } from './codecs.ts';
import type { MediaLoss } from './web-rtc-meter.ts';
import type { WorkerPlace } from './worker-pool.ts';

/** Longer data messages are sent over the socket. */
export const MAX_DATA_CHANNEL_BYTES = 16 * 1024;
/** Allows for the loss of two consent checks (RFC 7675: one every 4 to 6 s). */
const ICE_CONSENT_S = 15;
/** A client with more unread data loses messages. */
const MAX_UNSENT_DATA_BYTES = 1024 * 1024;

export interface MediaRoomListener {
  /** Called with each packet of the user. The receiver owns it. */
  onRtp(packet: Buffer): void;
  /** Called with each data message of the client. */
  onData(bytes: Buffer): void;
  /** The mediasoup worker died, or the client does not read data messages. Not called after `close`. */
  onLost(why: MediaLoss, detail: string): void;
}

/**
 * One client's call in mediasoup: a router with transports for the agent and, as negotiated, for the client. Closing
 * the room closes everything in it.
 */
export class MediaRoom {
  readonly #router: types.Router;
  readonly #place: WorkerPlace;
  readonly #direct: types.DirectTransport;
  readonly #agentAudio: types.Producer;
  readonly #agentData: types.DataProducer;
  readonly #listener: MediaRoomListener;
  readonly agentSsrc: number;
  readonly #transports: types.WebRtcTransport[] = [];
  #clientAudio: types.Consumer | null = null;
  #clientData: { consumer: types.DataConsumer; transport: types.WebRtcTransport } | null = null;

  private constructor(
    place: WorkerPlace,
    router: types.Router,
    agent: {
      direct: types.DirectTransport;
      audio: types.Producer;
      data: types.DataProducer;
      ssrc: number;
    },
    listener: MediaRoomListener,
  ) {
    this.#place = place;
    this.#router = router;
    this.#direct = agent.direct;
    this.#agentAudio = agent.audio;
    this.#agentData = agent.data;
    this.agentSsrc = agent.ssrc;
    this.#listener = listener;
    router.once('workerclose', () => {
      place[Symbol.dispose]();
      listener.onLost('worker', 'the mediasoup worker died');
    });
  }

  /** The room releases the place when it closes or cannot be opened. */
  static async open(
    place: WorkerPlace,
    payloadTypes: PayloadTypes,
    listener: MediaRoomListener,
  ): Promise<MediaRoom> {
    let router: types.Router | null = null;
    try {
      router = await place.worker.createRouter({ mediaCodecs: routerCodecs(payloadTypes) });
      const direct = await router.createDirectTransport({ maxReceiveMessageSize: MAX_DATA_CHANNEL_BYTES });
      const ssrc = randomInt(1, 2 ** 32);
      const [audio, data] = await Promise.all([
        direct.produce({ kind: 'audio', rtpParameters: agentRtpParameters(ssrc, payloadTypes) }),
        direct.produceData({ label: DATA_CHANNEL_LABEL }),
      ]);
      return new MediaRoom(place, router, { direct, audio, data, ssrc }, listener);
    } catch (thrown) {
      router?.close();
      place[Symbol.dispose]();
      throw thrown;
    }
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
    return this.#keep(listed);
  }

  /** Receives the user's microphone. */
  async takeAudio(transport: types.WebRtcTransport, rtpParameters: types.RtpParameters): Promise<string> {
    const producer = await this.#keep(transport.produce({ kind: 'audio', rtpParameters }));
    const { rtpCapabilities } = this;
    const consumer = await this.#keep(this.#direct.consume({ producerId: producer.id, rtpCapabilities }));
    consumer.on('rtp', (packet) => this.#listener.onRtp(packet));
    return producer.id;
  }

  /** Opens the client's direction of the data channel. */
  async takeData(
    transport: types.WebRtcTransport,
    sctpStreamParameters: types.SctpStreamParameters,
  ): Promise<string> {
    const producer = await this.#keep(
      transport.produceData({ sctpStreamParameters, label: DATA_CHANNEL_LABEL }),
    );
    const consumer = await this.#keep(this.#direct.consumeData({ dataProducerId: producer.id }));
    consumer.on('message', (bytes) => this.#listener.onData(bytes));
    return producer.id;
  }

  /** Sends the agent's audio to the client. */
  async giveAudio(
    transport: types.WebRtcTransport,
    rtpCapabilities: types.RtpCapabilities,
    mid?: string,
  ): Promise<types.Consumer> {
    const consumer = await this.#keep(
      transport.consume({
        producerId: this.#agentAudio.id,
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
    const consumer = await this.#keep(
      transport.consumeData({ dataProducerId: this.#agentData.id, ordered: true }),
    );
    this.#clientData = { consumer, transport };
    consumer.on('sctpsendbufferfull', () =>
      this.#listener.onLost('unread', 'the client does not read data messages'),
    );
    return consumer;
  }

  sendRtp(packet: Buffer): void {
    if (this.closed) return;
    this.#place.batch.gather();
    this.#agentAudio.send(packet);
  }

  /** Returns false, without sending, if the message is too long or there is no data channel. */
  sendData(text: string): boolean {
    if (this.closed || this.#clientData?.transport.sctpState !== 'connected') return false;
    if (Buffer.byteLength(text) > MAX_DATA_CHANNEL_BYTES) return false;
    this.#agentData.send(text);
    return true;
  }

  /** Idempotent. */
  close(): void {
    this.#router.removeAllListeners('workerclose');
    // mediasoup 3.27 does not release transports when their router closes.
    for (const transport of this.#transports) transport.close();
    this.#router.close();
    this.#place[Symbol.dispose]();
  }

  /** Closes an object that mediasoup creates after the room has closed. */
  async #keep<T extends { close(): void }>(making: Promise<T>): Promise<T> {
    const made = await making;
    if (!this.closed) return made;
    made.close();
    throw new Error('the room is closed');
  }
}

/** Whether mediasoup rejected a client's request as invalid, rather than failing. */
export function isClientFault({ name }: Error): boolean {
  return name === 'TypeError' || name === 'UnsupportedError';
}
