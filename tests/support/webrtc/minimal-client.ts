import { randomInt } from 'node:crypto';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { RtpCapabilities, RtpParameters } from '@calls/api-contract/signalling/media-parameters';
import { OPUS_FRAME_MS } from '@calls/audio/opus';
import { RtpHeader } from 'werift';
import type { WebSocket } from 'ws';
import { SignallingSocket } from './signalling-socket.ts';
import { SrtpLeg } from './srtp-leg.ts';

const PAYLOAD_TYPE = 100;
const SAMPLES_PER_FRAME = 48 * OPUS_FRAME_MS;
/**
 * One in this number of received packets is decrypted, to check that it is authentic and uses the key of the service.
 */
const DECRYPTED_EVERY = 50;

export interface MinimalClientListener {
  /** Called when the socket is created. */
  onSocket?: (socket: WebSocket) => void;
  /** Called when the socket is open. */
  onOpen?: () => void;
  /** Called for each packet of the agent (20 ms). */
  onPacket?: () => void;
  onMessage?: (message: ServerMessage) => void;
}

/**
 * A client for load tests with real ICE, DTLS and SRTP. It sends pre-encoded Opus packets and counts received packets
 * without decoding them. Data messages use the socket.
 */
export class MinimalClient {
  readonly signalling: SignallingSocket;
  readonly #speaking: SrtpLeg;
  readonly #hearing: SrtpLeg;
  readonly #header: RtpHeader;
  #received = 0;
  #firstNumber = 0;
  #highestNumber: number | null = null;

  private constructor(signalling: SignallingSocket, speaking: SrtpLeg, hearing: SrtpLeg) {
    this.signalling = signalling;
    this.#speaking = speaking;
    this.#hearing = hearing;
    this.#header = new RtpHeader({
      payloadType: PAYLOAD_TYPE,
      sequenceNumber: randomInt(2 ** 16),
      timestamp: randomInt(2 ** 32),
      ssrc: randomInt(1, 2 ** 32),
      marker: true,
    });
  }

  /** Joins a call. Resolves when the call has started. */
  static async join(url: string, listener: MinimalClientListener = {}): Promise<MinimalClient> {
    const signalling = new SignallingSocket(url);
    const { onSocket, onOpen, onMessage } = listener;
    onSocket?.(signalling.socket);
    if (onOpen) signalling.socket.once('open', onOpen);
    if (onMessage) {
      signalling.socket.on('message', (data: Buffer) => {
        const message = JSON.parse(data.toString()) as ServerMessage;
        if (!message.type.startsWith('rtc_')) onMessage(message);
      });
    }
    const ready = await signalling.ready.promise;
    const [speaking, hearing] = await Promise.all([
      SrtpLeg.open(ready.sendTransport),
      SrtpLeg.open(ready.receiveTransport),
    ]);
    const client = new MinimalClient(signalling, speaking, hearing);
    hearing.onPacket = (packet) => {
      client.#onPacket(packet);
      listener.onPacket?.();
    };
    try {
      await client.#setUp(ready.sendTransport.id, ready.receiveTransport.id, ready.routerRtpCapabilities);
    } catch (thrown) {
      client.vanish();
      throw thrown;
    }
    return client;
  }

  /** Counts of packets of the agent, up to the last received one. */
  get packets(): { received: number; lost: number } {
    const sent = this.#highestNumber === null ? 0 : this.#highestNumber - this.#firstNumber + 1;
    return { received: this.#received, lost: Math.max(0, sent - this.#received) };
  }

  /** `payload`: 20 ms of Opus. */
  speak(payload: Uint8Array): void {
    const header = this.#header;
    this.#speaking.send(payload, header);
    header.marker = false;
    header.sequenceNumber = (header.sequenceNumber + 1) & 0xffff;
    header.timestamp = (header.timestamp + SAMPLES_PER_FRAME) >>> 0;
  }

  async hangUp(): Promise<void> {
    this.stopMedia();
    this.signalling.socket.close(1000);
    await this.signalling.closed.promise;
  }

  /** Simulates the loss of the network. */
  vanish(): void {
    this.stopMedia();
    this.signalling.socket.terminate();
  }

  stopMedia(): void {
    this.#speaking.close();
    this.#hearing.close();
  }

  async #setUp(
    sendTransportId: string,
    receiveTransportId: string,
    rtpCapabilities: RtpCapabilities,
  ): Promise<void> {
    const { signalling } = this;
    const connect = async (leg: SrtpLeg, transportId: string): Promise<void> => {
      const { dtlsParameters } = leg;
      await signalling.request({ type: 'rtc_connect_transport', transportId, dtlsParameters });
      await leg.connect();
    };
    await Promise.all([
      signalling.request({
        type: 'rtc_produce_audio',
        rtpParameters: rtpParametersOf(this.#header.ssrc),
      }),
      signalling.request({ type: 'rtc_consume', rtpCapabilities, data: false }),
      connect(this.#speaking, sendTransportId),
      connect(this.#hearing, receiveTransportId),
    ]);
    await signalling.request({ type: 'rtc_join' });
  }

  #onPacket(packet: Buffer): void {
    if (this.#received % DECRYPTED_EVERY === 0) this.#hearing.decrypt(packet);
    this.#received += 1;
    const number = packet.readUInt16BE(2);
    if (this.#highestNumber === null) {
      this.#firstNumber = number;
      this.#highestNumber = number;
      return;
    }
    const ahead = (number - this.#highestNumber) & 0xffff;
    if (ahead < 0x8000) this.#highestNumber += ahead;
  }
}

function rtpParametersOf(ssrc: number): RtpParameters {
  const rtcpFeedback = [{ type: 'nack' }];
  return {
    codecs: [
      { mimeType: 'audio/opus', payloadType: PAYLOAD_TYPE, clockRate: 48_000, channels: 2, rtcpFeedback },
    ],
    encodings: [{ ssrc }],
    rtcp: { cname: 'client' },
  };
}
