import type { WebRtcSpec } from '@calls/api-contract/call-spec';
import {
  isEnabled,
  WEB_RTC_DEFAULTS,
  type ServerMessage,
} from '@calls/api-contract/data-messages/server-messages';
import type {
  AudioFormat,
  DisconnectReason,
  CloseReason,
  MediaTransport,
} from '@calls/conversation/ports/media-transport';
import { TokenBucket } from '@calls/foundation/token-bucket';
import { TransportEvents } from '@calls/conversation/ports/transport-events';
import type { Clock, Timer } from '@calls/foundation/clock';
import { READ_LIMITS, textCost, type ClientSocket } from '../client-socket/client-socket.ts';
import { readDataMessage } from '../data-message.ts';
import { INPUT_RATE_HZ, OWN_PAYLOAD_TYPES, type PayloadTypes } from './codecs.ts';
import { CounterDelta, ExpectedLoss, SAMPLE_EVERY_MS } from '../link-statistics.ts';
import { MediaRoom, PACKET_LIMITS, type MediaRoomListener } from './media-room.ts';
import { MediaWatch } from './media-watch.ts';
import type { OpusCodecs } from '../opus/opus-codecs.ts';
import { CHECK_EVERY_MS } from '../media-timeout.ts';
import { readRtpPacket } from '../rtp/rtp-packet.ts';
import { isRtcp } from '../sdp-values.ts';
import { AgentVoice, OUTPUT_LEAD_MS } from '../voice/agent-voice.ts';
import type { RtpThread } from '../rtp-thread/rtp-thread.ts';
import { UserVoice } from '../voice/user-voice.ts';
import { FRAME_MS, VOICE_FORMATS } from '../rtp/voice-codecs.ts';
import type { MediaLoss, WebRtcMeter } from './web-rtc-meter.ts';
import type { WorkerSlot } from './worker-pool.ts';

/** Silence after a clear, so that the client's concealment has nothing to repeat. */
const CLEARING_MS = 3 * FRAME_MS;
const OUTPUT_RATE_HZ = VOICE_FORMATS.opus.outputRateHz;
const CLEARING_SILENCE = new Int16Array((OUTPUT_RATE_HZ * CLEARING_MS) / 1000);

export interface WebRtcTransportOptions {
  place: WorkerSlot;
  opus: OpusCodecs;
  rtp: Pick<RtpThread, 'openTo'>;
  spec: WebRtcSpec;
  /**
   * Carries signalling, and data messages that the data channel cannot carry. Null if there is neither a socket nor a
   * data channel.
   */
  socket: Pick<ClientSocket, 'send' | 'check' | 'checkLife' | 'close' | 'end'> | null;
  meter: Pick<WebRtcMeter, 'sample' | 'lost'>;
  /** Default: the service's payload types. */
  payloadTypes?: PayloadTypes;
  /** Called once, at the end. */
  onEnd?: () => void;
  clock: Clock;
}

/** A client with WebRTC audio in both directions: Opus over DTLS-SRTP, data messages over SCTP. */
export class WebRtcTransport implements MediaTransport {
  readonly inputFormat: AudioFormat = { sampleRateHz: INPUT_RATE_HZ };
  readonly outputFormat: AudioFormat = { sampleRateHz: OUTPUT_RATE_HZ };
  readonly outputLeadMs = OUTPUT_LEAD_MS;
  readonly events = new TransportEvents();
  readonly room: MediaRoom;
  readonly watch: MediaWatch;
  readonly #options: WebRtcTransportOptions;
  readonly #agentVoice: AgentVoice;
  readonly #userVoice: UserVoice;
  readonly #packets: TokenBucket;
  readonly #channelReads: TokenBucket;
  readonly #received = new CounterDelta();
  readonly #sent = new CounterDelta();
  readonly #expectedLoss = new ExpectedLoss();
  #sampledMs: number;
  #checkTimer: Timer;
  #hasBegun = false;
  #ended = false;

  private constructor(
    options: WebRtcTransportOptions,
    room: MediaRoom,
    voices: { agent: AgentVoice; user: UserVoice },
  ) {
    const { clock } = options;
    this.#options = options;
    this.room = room;
    this.watch = new MediaWatch(clock, () => this.#lose('ice', 'the client’s media did not reconnect'));
    this.#agentVoice = voices.agent;
    this.#userVoice = voices.user;
    this.#sampledMs = clock.nowMs();
    this.#packets = new TokenBucket(PACKET_LIMITS, this.#sampledMs);
    this.#channelReads = new TokenBucket(READ_LIMITS, this.#sampledMs);
    this.#checkTimer = this.#scheduleCheck();
  }

  static async open(options: WebRtcTransportOptions): Promise<WebRtcTransport> {
    const { place, opus, rtp: engine, payloadTypes = OWN_PAYLOAD_TYPES, clock } = options;
    type Loss = [reason: MediaLoss, detail: string];
    const state: { transport: WebRtcTransport | null; lost: Loss | null } = { transport: null, lost: null };
    const onLost = (...loss: Loss): void => {
      state.lost = loss;
      if (state.transport) state.transport.#lose(...loss);
    };
    const onError = (err: Error): void => onLost('codec', `the codec failed: ${err.message}`);
    const listener: MediaRoomListener = {
      onData: (bytes) => {
        if (state.transport) state.transport.#onChannelData(bytes);
      },
      onLost,
    };
    const room = await MediaRoom.open(place, engine, payloadTypes, listener);
    const { rtp, agentSsrc: ssrc } = room;
    const agent = new AgentVoice({
      ...{ rtp, rateHz: OUTPUT_RATE_HZ, opus, ssrc, onError, clock },
      pauses: 'nothing',
    });
    agent.sendAs({ codec: 'opus', payloadType: payloadTypes.opus });
    const user = new UserVoice({
      types: {
        voices: new Map([[payloadTypes.opus, 'opus']]),
        telephoneEvents: payloadTypes.telephoneEvents,
      },
      ...{ rateHz: INPUT_RATE_HZ, opus, onError, clock },
      emit: (event) => void state.transport?.events.push(event),
    });
    const transport = new WebRtcTransport(options, room, { agent, user });
    state.transport = transport;
    rtp.onPacket = (bytes, arrivedMs) => transport.#onPacket(bytes, arrivedMs);
    rtp.onLost = (detail) => onLost('rtp', detail);
    if (state.lost) transport.#lose(...state.lost);
    return transport;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Starts accepting data messages. */
  begin(): void {
    this.#hasBegun = true;
  }

  write(samples: Int16Array): void {
    if (!this.#ended) this.#agentVoice.write(samples);
  }

  clear(): void {
    if (this.#ended) return;
    this.#agentVoice.clear();
    this.#agentVoice.write(CLEARING_SILENCE);
  }

  playbackLagMs(): number {
    return this.#agentVoice.lateMs;
  }

  send(message: ServerMessage): void {
    const { spec, socket } = this.#options;
    if (this.#ended || !isEnabled(message, spec.dataMessages, WEB_RTC_DEFAULTS)) return;
    const text = JSON.stringify(message);
    if (!this.room.sendData(text)) socket?.send(text);
  }

  probe(): void {
    const { socket } = this.#options;
    if (socket) socket.checkLife();
    else if (this.watch.isDisconnected)
      this.#lose('ice', 'another client connected while the media was disconnected');
  }

  /** Handles a data message from either channel. Returns false if it arrived too early. */
  takeData(bytes: Buffer): boolean {
    if (!this.#hasBegun) return false;
    this.events.push(readDataMessage(bytes));
    return true;
  }

  /** Ends the connection from either side and releases its resources. Idempotent. */
  end(reason: DisconnectReason, detail: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#checkTimer.cancel();
    this.watch.close();
    this.#sampleReceived();
    this.#userVoice.close();
    this.#agentVoice.close();
    this.room.close();
    this.events.push({ type: 'closed', reason, detail });
    this.events.close();
    this.#options.onEnd?.();
  }

  async close(reason: CloseReason): Promise<void> {
    this.end('hangup', 'closed by the server');
    await this.#options.socket?.close(reason);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close('system_error');
  }

  #onPacket(bytes: Buffer, arrivedMs: number): void {
    const packet = isRtcp((bytes[1] ?? 0) & 0x7f) ? null : readRtpPacket(bytes);
    if (!this.#packets.take(arrivedMs)) this.#lose('flood', 'the client sends too many packets');
    else if (this.#hasBegun && packet) this.#userVoice.onRtp(packet, arrivedMs);
  }

  /** Data channels have no back-pressure, unlike sockets. */
  #onChannelData(bytes: Buffer): void {
    if (this.#channelReads.take(this.#options.clock.nowMs(), textCost(bytes))) this.takeData(bytes);
    else this.#lose('flood', 'the client sends too many data messages');
  }

  /** The media connection is lost. The client must reconnect and set up everything again. */
  #lose(reason: MediaLoss, detail: string): void {
    if (this.#ended) return;
    const { socket, meter } = this.#options;
    if (this.#hasBegun) meter.lost(reason);
    this.end('lost', detail);
    void socket?.close('service_restart');
  }

  #check(): void {
    this.#checkTimer = this.#scheduleCheck();
    const nowMs = this.#options.clock.nowMs();
    if (this.#hasBegun) this.#userVoice.check(nowMs);
    this.#options.socket?.check(nowMs);
    if (nowMs - this.#sampledMs < SAMPLE_EVERY_MS) return;
    this.#sampledMs = nowMs;
    this.#sampleReceived();
    void this.#sampleSent();
  }

  #sampleReceived(): void {
    const { received: packets, jitterMs, waitMs, ...rest } = this.#userVoice.statistics;
    if (packets === 0) return;
    this.#options.meter.sample({
      direction: 'in',
      ...this.#received.of({ packets, ...rest }),
      jitterMs,
      waitMs,
    });
  }

  async #sampleSent(): Promise<void> {
    const sent = await this.room.sent();
    if (!sent) return;
    const { roundTripMs, packets, lost } = sent;
    const difference = this.#sent.of({ packets, lost });
    if (!this.#ended) this.#agentVoice.expectLoss(this.#expectedLoss.after(difference));
    this.#options.meter.sample({ direction: 'out', ...difference, roundTripMs });
  }

  #scheduleCheck(): Timer {
    return this.#options.clock.setTimer(CHECK_EVERY_MS, () => this.#check());
  }
}
