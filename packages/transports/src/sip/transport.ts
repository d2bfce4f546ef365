import type {
  AudioFormat,
  ClosedReason,
  CloseReason,
  MediaTransport,
  TransportEvent,
} from '@calls/conversation/ports/media-transport';
import { Allowance } from '@calls/foundation/allowance';
import { BoundedQueue } from '@calls/foundation/bounded-queue';
import { delay, type Clock, type Timer } from '@calls/foundation/clock';
import { readRtpPacket } from '../rtp/rtp-packet.ts';
import { isRtcp } from '../sdp-values.ts';
import { SrtpReceiver } from '../srtp/srtp-receiver.ts';
import { SrtpSender } from '../srtp/srtp-sender.ts';
import { CounterDelta } from '../link-statistics.ts';
import type { Agreement } from './agreement.ts';
import { AgentVoice } from './agent-voice.ts';
import type { FrameTicker } from './frame-ticker.ts';
import { RATE_HZ } from './g711.ts';
import { isSameKeys, type MediaKeys } from './media-encryption.ts';
import type { RtpAddress } from './rtp-address.ts';
import type { RtpPort } from './rtp-port.ts';
import type { SipMediaMeter } from './sip-media-meter.ts';
import { SourceLatch } from './source-latch.ts';
import { UserVoice, type PayloadTypes } from './user-voice.ts';

/** Output lead; peers have their own jitter buffers. */
const OUTPUT_LEAD_MS = 40;
const EVENT_QUEUE_CAPACITY = 4096;
const CHECK_EVERY_MS = 100;
const SAMPLE_EVERY_MS = 5000;
/** A peer that is not on hold sends continuously, or at least comfort noise or RTCP. */
export const DEFAULT_MEDIA_TIMEOUT_MS = 30_000;
/** A phone discards its jitter buffer at hang-up, so wait until it has played. */
const PLAYED_OUT_MS = 100;
/** Phones send 50 packets per second, some 100. Further packets are dropped. */
const PACKET_LIMITS = { burst: 500, perSecond: 200 };

export interface SipTransportOptions {
  /** Ends the dialog. Called at most once, by the first `close` or when the media is lost, and never after `ended`. */
  hangUp: (reason: CloseReason) => Promise<void>;
  /** Asks the peer to call `target` instead. Resolves to false if it refuses. */
  transfer?: (target: string) => Promise<boolean>;
}

export interface RtpDeps {
  port: Pick<RtpPort, 'send' | 'close' | 'onPacket'>;
  beat: FrameTicker;
  latch: SourceLatch;
  meter: SipMediaMeter;
  clock: Clock;
  /** The call ends if no packet arrives for this long while the peer is not on hold. */
  mediaTimeoutMs: number;
}

/** A phone with RTP audio in both directions: G.711, keys as telephone events. */
export class SipTransport implements MediaTransport {
  readonly inputFormat: AudioFormat = { sampleRateHz: RATE_HZ };
  readonly outputFormat: AudioFormat = { sampleRateHz: RATE_HZ };
  readonly outputLeadMs = OUTPUT_LEAD_MS;
  readonly events = new BoundedQueue<TransportEvent>(EVENT_QUEUE_CAPACITY, 'drop-oldest');
  readonly #options: SipTransportOptions;
  readonly #deps: RtpDeps;
  readonly #agentVoice: AgentVoice;
  readonly #received = new CounterDelta();
  readonly #packets: Allowance;
  #userVoice: UserVoice | null = null;
  #agreement: Agreement | null = null;
  #srtpSender: SrtpSender | null = null;
  #srtpReceiver: SrtpReceiver | null = null;
  /** Packets that earlier keys did not authenticate. */
  #formerlyRejected = 0;
  #unreadable = 0;
  #stray = 0;
  #mediaMs: number;
  #sampledMs: number;
  #checkTimer: Timer;
  #isEnded = false;
  #closing: Promise<void> | null = null;

  constructor(options: SipTransportOptions, deps: RtpDeps, agreement: Agreement) {
    const { port, beat, latch, clock } = deps;
    this.#options = options;
    this.#deps = deps;
    const send = (packet: Buffer): void => {
      if (latch.target) port.send(this.#srtpSender?.protectRtp(packet) ?? packet, latch.target);
    };
    this.#agentVoice = new AgentVoice({ beat, send, clock });
    this.#mediaMs = clock.nowMs();
    this.#sampledMs = this.#mediaMs;
    this.#packets = new Allowance(PACKET_LIMITS, this.#mediaMs);
    this.agreed(agreement);
    port.onPacket = (bytes, from) => this.#onPacket(bytes, from);
    this.#checkTimer = this.#scheduleCheck();
  }

  /** The peer's latest description took effect. */
  agreed(agreement: Agreement): void {
    if (this.#isEnded) return;
    const before = this.#agreement;
    this.#agreement = agreement;
    this.#useKeys(before?.keys ?? null, agreement.keys);
    this.#agentVoice.sendAs(agreement.sends);
    if (!before || !isSame(before.receives, agreement.receives)) {
      this.#sample();
      this.#userVoice?.close();
      this.#userVoice = new UserVoice({
        types: agreement.receives,
        emit: (event) => void this.events.push(event),
        clock: this.#deps.clock,
      });
    }
    if (!before?.hears) this.#mediaMs = this.#deps.clock.nowMs();
  }

  write(samples: Int16Array): void {
    this.#agentVoice.write(samples);
  }

  clear(): void {
    this.#agentVoice.clear();
  }

  playbackLagMs(): number {
    return this.#agentVoice.lateMs;
  }

  send(): void {
    // A phone takes no data messages.
  }

  probe(): void {
    // Nothing asks a phone; where its media stops, that is noticed.
  }

  async transfer(target: string): Promise<boolean> {
    return this.#closing === null && (await this.#options.transfer?.(target)) === true;
  }

  ended(by: 'local' | 'remote' | 'lost'): void {
    this.#closing ??= Promise.resolve();
    if (by === 'lost') this.#end('connection_error', 'the peer no longer knows the call');
    else this.#end('hangup', by === 'remote' ? 'the peer has hung up' : 'closed by the server');
  }

  close(reason: CloseReason): Promise<void> {
    this.#closing ??= this.#hangUp(reason);
    this.#end('hangup', 'closed by the server');
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close('system_error');
  }

  /** Hangs up when the peer has played all sent audio. */
  async #hangUp(reason: CloseReason): Promise<void> {
    const { clock } = this.#deps;
    const playsMs = this.#agentVoice.sentEndMs + PLAYED_OUT_MS - clock.nowMs();
    if (playsMs > 0) await delay(clock, playsMs);
    await this.#options.hangUp(reason);
  }

  #end(reason: ClosedReason, detail: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#checkTimer.cancel();
    this.#sample();
    this.#userVoice?.close();
    this.#agentVoice.close();
    this.#deps.port.close();
    this.events.push({ type: 'closed', reason, detail });
    this.events.close();
  }

  /** Unchanged keys go on with their rollover counters. */
  #useKeys(before: MediaKeys | null, keys: MediaKeys | null): void {
    if (!isSameKeys(before?.send, keys?.send)) this.#srtpSender = keys && new SrtpSender(keys.send);
    if (isSameKeys(before?.receive, keys?.receive)) return;
    this.#formerlyRejected += this.#srtpReceiver?.rejected ?? 0;
    this.#srtpReceiver = keys && new SrtpReceiver(keys.receive);
  }

  #onPacket(bytes: Buffer, from: RtpAddress): void {
    const nowMs = this.#deps.clock.nowMs();
    if (!this.#packets.take(nowMs)) return;
    if (isRtcp((bytes[1] ?? 0) & 0x7f)) {
      const isAuthentic = this.#srtpReceiver?.unprotectRtcp(bytes) !== null;
      if (isAuthentic && this.#deps.latch.isFromPeer(from)) this.#mediaMs = nowMs;
      return;
    }
    const plain = this.#srtpReceiver ? this.#srtpReceiver.unprotectRtp(bytes) : bytes;
    if (!plain) return;
    const packet = readRtpPacket(plain);
    if (!packet || !this.#agreement) {
      this.#unreadable += 1;
      return;
    }
    if (!this.#deps.latch.accepts(from, packet, nowMs)) {
      this.#stray += 1;
      return;
    }
    this.#mediaMs = nowMs;
    if (this.#agreement.hears) this.#userVoice?.onRtp(packet);
  }

  #check(): void {
    const nowMs = this.#deps.clock.nowMs();
    if (this.#agreement?.hears) {
      this.#userVoice?.check(nowMs);
      const { mediaTimeoutMs } = this.#deps;
      if (nowMs - this.#mediaMs >= mediaTimeoutMs) {
        this.#closing ??= this.#hangUp('connection_error');
        this.#end('connection_error', `no audio received for ${mediaTimeoutMs} ms`);
        return;
      }
    }
    this.#checkTimer = this.#scheduleCheck();
    if (nowMs - this.#sampledMs < SAMPLE_EVERY_MS) return;
    this.#sampledMs = nowMs;
    this.#sample();
  }

  #sample(): void {
    if (!this.#userVoice) return;
    const { received: packets, malformed, jitterMs, waitMs, ...rest } = this.#userVoice.statistics;
    const unauthenticated = this.#formerlyRejected + (this.#srtpReceiver?.rejected ?? 0);
    const dropped = { malformed: malformed + this.#unreadable, stray: this.#stray, unauthenticated };
    const counts = { packets, ...dropped, ...rest };
    if (packets + dropped.malformed + dropped.stray + unauthenticated === 0) return;
    this.#deps.meter.sample({ ...this.#received.of(counts), jitterMs, waitMs });
  }

  #scheduleCheck(): Timer {
    return this.#deps.clock.setTimer(CHECK_EVERY_MS, () => this.#check());
  }
}

function isSame(a: PayloadTypes, b: PayloadTypes): boolean {
  return (
    [...a.voices].join() === [...b.voices].join() &&
    [...a.telephoneEvents].join() === [...b.telephoneEvents].join()
  );
}
