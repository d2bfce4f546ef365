import type { WebRtcSpec } from '@calls/api-contract/call-spec';
import {
  isEnabled,
  WEB_RTC_DEFAULTS,
  type ServerMessage,
} from '@calls/api-contract/data-messages/server-messages';
import type {
  AudioFormat,
  ClosedReason,
  CloseReason,
  MediaTransport,
  TransportEvent,
} from '@calls/conversation/ports/media-transport';
import { Allowance } from '@calls/foundation/allowance';
import { BoundedQueue } from '@calls/foundation/bounded-queue';
import type { Clock, Timer } from '@calls/foundation/clock';
import { READ_LIMITS, textCost, type ClientSocket } from '../client-socket/client-socket.ts';
import { readDataMessage } from '../data-message.ts';
import { AgentVoice, OUTPUT_RATE_HZ } from './agent-voice.ts';
import { OWN_PAYLOAD_TYPES, type PayloadTypes } from './codecs.ts';
import { CounterDelta, ExpectedLoss } from '../link-statistics.ts';
import { MediaRoom, type MediaRoomListener } from './media-room.ts';
import { MediaWatch } from './media-watch.ts';
import type { OpusCodecs } from '../opus/opus-codecs.ts';
import { INPUT_RATE_HZ, UserVoice } from './user-voice.ts';
import type { MediaLoss, WebRtcMeter } from './web-rtc-meter.ts';
import type { WorkerPlace } from './worker-pool.ts';

/** Output lead; the client has its own jitter buffer. */
const OUTPUT_LEAD_MS = 40;
const EVENT_QUEUE_CAPACITY = 4096;
const CHECK_EVERY_MS = 100;
const SAMPLE_EVERY_MS = 5000;
/** Opus has at most 400 packets per second. */
const PACKET_LIMITS = { burst: 2500, perSecond: 500 };

export interface WebRtcTransportOptions {
  place: WorkerPlace;
  opus: OpusCodecs;
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
  readonly events = new BoundedQueue<TransportEvent>(EVENT_QUEUE_CAPACITY, 'drop-oldest');
  readonly room: MediaRoom;
  readonly watch: MediaWatch;
  readonly #options: WebRtcTransportOptions;
  readonly #agentVoice: AgentVoice;
  readonly #userVoice: UserVoice;
  readonly #packets: Allowance;
  readonly #channelReads: Allowance;
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
    this.#packets = new Allowance(PACKET_LIMITS, this.#sampledMs);
    this.#channelReads = new Allowance(READ_LIMITS, this.#sampledMs);
    this.#checkTimer = this.#scheduleCheck();
  }

  static async open(options: WebRtcTransportOptions): Promise<WebRtcTransport> {
    const { place, opus, payloadTypes = OWN_PAYLOAD_TYPES, clock } = options;
    type Loss = [why: MediaLoss, detail: string];
    const state: { transport: WebRtcTransport | null; lost: Loss | null } = { transport: null, lost: null };
    const onLost = (...loss: Loss): void => {
      state.lost = loss;
      if (state.transport) state.transport.#lose(...loss);
    };
    const onFault = (err: Error): void => onLost('codec', `the codec failed: ${err.message}`);
    const listener: MediaRoomListener = {
      onRtp: (packet) => {
        if (state.transport) state.transport.#onRtp(packet);
      },
      onData: (bytes) => {
        if (state.transport) state.transport.#onChannelData(bytes);
      },
      onLost,
    };
    using undo = new DisposableStack();
    const room = undo.adopt(await MediaRoom.open(place, payloadTypes, listener), (opened) => opened.close());
    const agent = await AgentVoice.open({
      opus,
      ssrc: room.agentSsrc,
      payloadType: payloadTypes.opus,
      send: (packet) => room.sendRtp(packet),
      onFault,
      clock,
    });
    undo.defer(() => agent.close());
    const emit = (event: TransportEvent): void => void state.transport?.events.push(event);
    const user = await UserVoice.open({ opus, payloadTypes, emit, onFault, clock });
    undo.move();
    state.transport = new WebRtcTransport(options, room, { agent, user });
    if (state.lost) state.transport.#lose(...state.lost);
    return state.transport;
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
    if (!this.#ended) this.#agentVoice.clear();
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
    else if (this.watch.isAway)
      this.#lose('ice', 'another client connected while the media was disconnected');
  }

  /** Handles a data message from either channel. Returns false if it arrived too early. */
  takeData(bytes: Buffer): boolean {
    if (!this.#hasBegun) return false;
    this.events.push(readDataMessage(bytes));
    return true;
  }

  /** Ends the connection from either side and releases its resources. Idempotent. */
  end(reason: ClosedReason, detail: string): void {
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

  #onRtp(packet: Buffer): void {
    if (!this.#packets.take(this.#options.clock.nowMs()))
      this.#lose('flood', 'the client sends too many packets');
    else if (this.#hasBegun) this.#userVoice.onRtp(packet);
  }

  /** Data channels have no back-pressure, unlike sockets. */
  #onChannelData(bytes: Buffer): void {
    if (this.#channelReads.take(this.#options.clock.nowMs(), textCost(bytes))) this.takeData(bytes);
    else this.#lose('flood', 'the client sends too many data messages');
  }

  /** The media connection is lost. The client must reconnect and set up everything again. */
  #lose(why: MediaLoss, detail: string): void {
    if (this.#ended) return;
    const { socket, meter } = this.#options;
    if (this.#hasBegun) meter.lost(why);
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
