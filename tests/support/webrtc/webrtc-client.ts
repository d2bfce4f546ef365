import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { RtpParameters } from '@calls/api-contract/signalling/media-parameters';
import { DATA_CHANNEL_LABEL, type SignalReady } from '@calls/api-contract/signalling/signal-messages';
import { createOpusDecoder, createOpusEncoder, type OpusDecoder, type OpusEncoder } from '@calls/audio/opus';
import { levelDbfs } from '@calls/audio/pcm';
import { readRtpPacket } from '@calls/transports/rtp/rtp-packet';
import { RtpSender } from '@calls/transports/rtp/rtp-sender';
import {
  MediaStreamTrack,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  type RTCDataChannel,
  type RTCRtpTransceiver,
} from 'werift';
import { readServerMessage } from '../contract/read-published.ts';
import { fingerprintOf, serverSdp } from './peer-sdp.ts';
import { SignallingSocket } from './signalling-socket.ts';

const PAYLOAD_TYPE = 100;
export const SPOKEN_RATE_HZ = 16_000;
export const RECEIVED_RATE_HZ = 16_000;
const QUIET_DBFS = -45;

/** A client without a browser that uses real DTLS-SRTP and SCTP. */
export class WebRtcClient {
  static readonly #open = new Set<WebRtcClient>();
  readonly signalling: SignallingSocket;
  readonly ready: SignalReady;
  readonly messages: ServerMessage[] = [];
  /** Decoded samples of the agent in order of arrival. */
  readonly received: number[] = [];
  readonly packets: { timestamp: number; sequenceNumber: number; marker: boolean }[] = [];
  readonly #sending: RTCPeerConnection;
  readonly #receiving: RTCPeerConnection;
  readonly #encoder: OpusEncoder;
  readonly #decoder: OpusDecoder;
  readonly #microphone = new MediaStreamTrack({ kind: 'audio' });
  #transceiver: RTCRtpTransceiver | null = null;
  #outbox: RTCDataChannel | null = null;
  #sender: RtpSender | null = null;
  #spokenMs = 0;
  #quietFrames = 0;
  #quietRuns = 0;

  private constructor(
    signalling: SignallingSocket,
    ready: SignalReady,
    codecs: { encoder: OpusEncoder; decoder: OpusDecoder },
  ) {
    this.signalling = signalling;
    this.ready = ready;
    this.#encoder = codecs.encoder;
    this.#decoder = codecs.decoder;
    const config = {
      codecs: {
        audio: [
          new RTCRtpCodecParameters({
            mimeType: 'audio/opus',
            clockRate: 48_000,
            channels: 2,
            payloadType: PAYLOAD_TYPE,
            rtcpFeedback: [{ type: 'nack' }],
          }),
        ],
        video: [],
      },
      bundlePolicy: 'max-bundle' as const,
      iceUseIpv6: false,
      iceUseTcp: false,
      iceServers: [],
      iceAdditionalHostAddresses: ['127.0.0.1'],
    };
    WebRtcClient.#open.add(this);
    this.#sending = new RTCPeerConnection(config);
    this.#receiving = new RTCPeerConnection(config);
  }

  /** Joins a call. Resolves when the call has started. */
  static async join(
    url: string,
    options: { data?: boolean; microphone?: boolean } = {},
  ): Promise<WebRtcClient> {
    const client = await WebRtcClient.connect(url);
    await client.setUp(options);
    await client.signalling.request({ type: 'rtc_join' });
    return client;
  }

  /** Stops all clients that are still connected. Call it at the end of a test. */
  static async stopAll(): Promise<void> {
    await Promise.all([...WebRtcClient.#open].map((client) => client.vanish()));
  }

  /** Opens only the socket and reads the first message of the service. */
  static async connect(url: string): Promise<WebRtcClient> {
    const signalling = new SignallingSocket(url);
    const [ready, encoder, decoder] = await Promise.all([
      signalling.ready.promise,
      // Uses the settings of browsers after losses were reported.
      createOpusEncoder({ sampleRateHz: SPOKEN_RATE_HZ, expectedLossPercent: 10 }),
      createOpusDecoder({ sampleRateHz: RECEIVED_RATE_HZ }),
    ]);
    return new WebRtcClient(signalling, ready, { encoder, decoder });
  }

  async setUp({
    data = true,
    microphone = true,
  }: { data?: boolean; microphone?: boolean } = {}): Promise<void> {
    await Promise.all([
      microphone || data ? this.#setUpSending(microphone, data) : null,
      this.#setUpReceiving(data),
    ]);
  }

  /** Sends a frame of 20 ms at `SPOKEN_RATE_HZ`. */
  speak(samples: Int16Array): void {
    const { sender } = this.#transceiver ?? {};
    if (!sender) throw new Error('joined without a microphone');
    this.#sender ??= new RtpSender({
      ssrc: sender.ssrc,
      payloadType: PAYLOAD_TYPE,
      clockRateHz: 48_000,
      firstSequenceNumber: 65_530,
      firstTimestamp: 0xffff_ff00,
      retainsPackets: true,
    });
    this.#microphone.writeRtp(this.#sender.audio(this.#encoder.encode(samples), this.#spokenMs, 20));
    this.#spokenMs += 20;
  }

  /** Sends a message on the data channel. */
  say(message: ClientMessage): void {
    if (this.#outbox?.readyState !== 'open') throw new Error('the data channel is not open');
    this.#outbox.send(JSON.stringify(message));
  }

  sendRaw(text: string): void {
    this.#outbox?.send(text);
  }

  /** Closes the media connections and then the socket, as browser pages do. */
  async hangUp(): Promise<void> {
    await this.#stop();
    this.signalling.socket.close(1000);
    await this.signalling.closed.promise;
  }

  /** Simulates the loss of the network. */
  async vanish(): Promise<void> {
    await this.#stop();
    this.signalling.socket.terminate();
  }

  /** Stops only the media. */
  async #stop(): Promise<void> {
    WebRtcClient.#open.delete(this);
    await Promise.all([this.#sending.close(), this.#receiving.close()]);
  }

  async #setUpSending(microphone: boolean, data: boolean): Promise<void> {
    const { signalling, ready } = this;
    const pc = this.#sending;
    if (microphone) this.#transceiver = pc.addTransceiver(this.#microphone, { direction: 'sendonly' });
    if (data)
      this.#outbox = pc.createDataChannel(DATA_CHANNEL_LABEL, { negotiated: true, id: 0, ordered: true });
    const offer = await pc.setLocalDescription(await pc.createOffer());
    const mids = [...offer.toJSON().sdp.matchAll(/^a=mid:(\S+)/gmu)].map(([, mid]) => mid ?? '');
    const rtpParameters = {
      codecs: [
        {
          mimeType: 'audio/opus',
          payloadType: PAYLOAD_TYPE,
          clockRate: 48_000,
          channels: 2,
          rtcpFeedback: [{ type: 'nack' }],
        },
      ],
      encodings: [{ ssrc: this.#transceiver?.sender.ssrc ?? 1 }],
      rtcp: { cname: 'client' },
    } satisfies RtpParameters;
    await signalling.request({
      type: 'rtc_connect_transport',
      transportId: ready.sendTransport.id,
      dtlsParameters: { role: 'client', fingerprints: [fingerprintOf(offer.toJSON().sdp)] },
    });
    const [first = '0', second = '1'] = mids;
    const sdp = serverSdp({
      transport: ready.sendTransport,
      audio: microphone ? { mid: first, direction: 'recvonly', rtpParameters } : null,
      dataMid: data ? (microphone ? second : first) : null,
      setup: 'passive',
    });
    await pc.setRemoteDescription({ type: 'answer', sdp });
    await Promise.all([
      microphone && signalling.request({ type: 'rtc_produce_audio', rtpParameters }),
      data &&
        signalling.request({
          type: 'rtc_produce_data',
          sctpStreamParameters: { streamId: 0, ordered: true },
        }),
    ]);
    await until(() => pc.connectionState === 'connected');
    if (data) await until(() => this.#outbox?.readyState === 'open');
  }

  async #setUpReceiving(data: boolean): Promise<void> {
    const { signalling, ready } = this;
    const pc = this.#receiving;
    const consumed = await signalling.request({
      type: 'rtc_consume',
      rtpCapabilities: ready.routerRtpCapabilities,
      data,
    });
    pc.onTrack.subscribe((track) => {
      track.onReceiveRtp.subscribe((packet) => this.#onRtp(packet.serialize()));
    });
    if (consumed.data) {
      const { label, sctpStreamParameters } = consumed.data;
      const channel = pc.createDataChannel(label, { negotiated: true, id: sctpStreamParameters.streamId });
      channel.onMessage.subscribe((text) => {
        this.messages.push(readServerMessage(text.toString()));
      });
    }
    const { rtpParameters } = consumed.audio;
    const sdp = serverSdp({
      transport: ready.receiveTransport,
      audio: { mid: rtpParameters.mid ?? '0', direction: 'sendonly', rtpParameters },
      dataMid: data ? 'data' : null,
      setup: 'actpass',
    });
    await pc.setRemoteDescription({ type: 'offer', sdp });
    const answer = await pc.setLocalDescription(await pc.createAnswer());
    await signalling.request({
      type: 'rtc_connect_transport',
      transportId: ready.receiveTransport.id,
      dtlsParameters: { role: 'client', fingerprints: [fingerprintOf(answer.toJSON().sdp)] },
    });
  }

  /** Number of times that audible audio was followed by silence. */
  get clears(): number {
    return this.#quietRuns;
  }

  #onRtp(bytes: Buffer): void {
    const packet = readRtpPacket(bytes);
    if (!packet) return;
    const { timestamp, sequenceNumber, marker } = packet;
    this.packets.push({ timestamp, sequenceNumber, marker });
    const samples = this.#decoder.decode(packet.payload);
    if (!samples) return;
    for (const sample of samples) this.received.push(sample);
    this.#quietFrames = levelDbfs(samples) < QUIET_DBFS ? this.#quietFrames + 1 : 0;
    if (this.#quietFrames === 2) this.#quietRuns += 1;
  }
}

async function until(condition: () => boolean, limitMs = 120_000): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`not within ${limitMs} ms: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
