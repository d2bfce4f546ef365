import { DtmfDetector } from '@calls/audio/dtmf-detector';
import type {
  AudioFormat,
  DisconnectReason,
  CloseReason,
  MediaStatistics,
  MediaTransport,
  TransportEvent,
} from '@calls/conversation/ports/media-transport';
import { TransportEvents } from '@calls/conversation/ports/transport-events';
import { delay, type Clock, type Timer } from '@calls/foundation/clock';
import type { OpusCodecs } from '../opus/opus-codecs.ts';
import { readRtpPacket } from '../rtp/rtp-packet.ts';
import { isRtcp } from '../sdp-values.ts';
import { CounterDelta, SAMPLE_EVERY_MS } from '../link-statistics.ts';
import { CHECK_EVERY_MS, MediaTimeout } from '../media-timeout.ts';
import type { NegotiatedMedia } from './negotiated-media.ts';
import { AgentVoice, OUTPUT_LEAD_MS } from '../voice/agent-voice.ts';
import type { RtpChannel } from '../rtp-thread/rtp-channel.ts';
import type { SipMediaMeter } from './sip-media-meter.ts';
import { UserVoice, type PayloadTypes } from '../voice/user-voice.ts';
import { VOICE_FORMATS } from '../rtp/voice-codecs.ts';

/** A peer that is not on hold sends continuously, or at least comfort noise or RTCP. */
export const DEFAULT_MEDIA_TIMEOUT_MS = 30_000;
/** A phone discards its jitter buffer at hang-up, so wait until it has played. */
const PLAYED_OUT_MS = 100;
/** The same key from tones and from events or the signalling within this time was pressed once. */
const SAME_KEY_MS = 1000;

export interface SipTransportOptions {
  /** Ends the dialog. Called at most once, by the first `close` or when the media is lost, and never after `ended`. */
  hangUp: (reason: CloseReason) => Promise<void>;
  /** Asks the peer to call `target` instead. Resolves to false if it refuses. */
  transfer?: (target: string) => Promise<boolean>;
}

export interface RtpDeps {
  rtp: RtpChannel;
  /** Null: Opus is not negotiated. */
  opus: OpusCodecs | null;
  meter: SipMediaMeter;
  clock: Clock;
  /** The call ends if no packet arrives for this long while the peer is not on hold. */
  mediaTimeoutMs: number;
}

/** A phone with RTP audio in both directions; keys as telephone events, from the signalling, or as tones. */
export class SipTransport implements MediaTransport {
  /** Formats of the first negotiated codec. Audio of later ones is resampled. */
  readonly inputFormat: AudioFormat;
  readonly outputFormat: AudioFormat;
  readonly outputLeadMs = OUTPUT_LEAD_MS;
  readonly events = new TransportEvents();
  readonly #options: SipTransportOptions;
  readonly #deps: RtpDeps;
  readonly #agentVoice: AgentVoice;
  readonly #received = new CounterDelta();
  #userVoice: UserVoice | null = null;
  #negotiated: NegotiatedMedia | null = null;
  /** Null if the peer sends keys in another way, or no keys. */
  #tones: DtmfDetector | null = null;
  #lastTone = { digit: '', atMs: 0 };
  #receivedPackets = 0;
  #receivedBytes = 0;
  #timeout: MediaTimeout;
  #sampledMs: number;
  #checkTimer: Timer;
  #isEnded = false;
  #closing: Promise<void> | null = null;

  constructor(options: SipTransportOptions, deps: RtpDeps, negotiated: NegotiatedMedia) {
    const { rtp, opus, clock } = deps;
    this.#options = options;
    this.#deps = deps;
    const { inputRateHz, outputRateHz } = VOICE_FORMATS[negotiated.codec];
    this.inputFormat = { sampleRateHz: inputRateHz };
    this.outputFormat = { sampleRateHz: outputRateHz };
    const onError = this.#onCodecError;
    this.#agentVoice = new AgentVoice({ rtp, rateHz: outputRateHz, opus, onError, clock });
    this.#sampledMs = clock.nowMs();
    this.#timeout = new MediaTimeout(this.#sampledMs);
    this.apply(negotiated);
    rtp.onPacket = (bytes, arrivedMs) => this.#onPacket(bytes, arrivedMs);
    this.#checkTimer = this.#scheduleCheck();
    rtp.onLost = (detail) => this.#lose(detail);
  }

  /** Applies the peer's latest description. */
  apply(negotiated: NegotiatedMedia): void {
    if (this.#isEnded) return;
    const before = this.#negotiated;
    this.#negotiated = negotiated;
    this.#agentVoice.sendAs(negotiated.sends);
    if (!before || !isSame(before.receives, negotiated.receives)) {
      this.#sample();
      this.#userVoice?.close();
      this.#userVoice = new UserVoice({
        types: negotiated.receives,
        rateHz: this.inputFormat.sampleRateHz,
        opus: this.#deps.opus,
        onError: this.#onCodecError,
        emit: (event) => this.#receive(event),
        previous: this.#userVoice?.statistics,
        clock: this.#deps.clock,
      });
    }
    if (before?.hasEvents !== negotiated.hasEvents) this.#tones = this.#detectorFor(negotiated);
    if (!before?.isTwoWay) this.#timeout = new MediaTimeout(this.#deps.clock.nowMs());
    if (negotiated.isTwoWay !== (before?.isTwoWay ?? true))
      this.events.push({ type: 'hold', isOnHold: !negotiated.isTwoWay });
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

  /** Sends telephone events, if the peer accepts them. Otherwise the caller plays tones, whose echo is not a key. */
  sendDigits(digits: string): boolean {
    const events = this.#negotiated?.sendsEvents;
    if (!events) this.#tones = null;
    if (!events || this.#isEnded) return false;
    this.#deps.rtp.apply({ type: 'digits', digits, payloadType: events.payloadType });
    return true;
  }

  send(): void {
    // Phones do not receive data messages.
  }

  probe(): void {
    // Phones cannot be probed. The media timeout detects a lost one.
  }

  /** Handles a key that the peer reported in the signalling. */
  keyPressed(digit: string): void {
    if (!this.#isEnded) this.#receive({ type: 'dtmf', digit });
  }

  async transfer(target: string): Promise<boolean> {
    return this.#closing === null && (await this.#options.transfer?.(target)) === true;
  }

  ended(by: 'local' | 'remote' | 'lost' | 'released'): void {
    this.#closing ??= Promise.resolve();
    if (by === 'lost') this.#end('connection_error', 'the peer no longer knows the call');
    else this.#end('hangup', by === 'remote' ? 'the peer has hung up' : 'closed by the server');
  }

  statistics(): MediaStatistics | null {
    const { sentPackets: packetsSent, sentBytes: bytesSent, peerReport } = this.#deps.rtp;
    const [packetsReceived, bytesReceived] = [this.#receivedPackets, this.#receivedBytes];
    if (!this.#negotiated || !this.#userVoice || packetsSent + packetsReceived === 0) return null;
    const { lost: packetsLost, jitterMs } = this.#userVoice.statistics;
    return {
      codec: this.#negotiated.codec,
      ...{ packetsSent, bytesSent, packetsReceived, bytesReceived, packetsLost },
      jitterMs: roundedMs(jitterMs),
      remotePacketsLost: peerReport?.lost ?? null,
      remoteJitterMs: peerReport && roundedMs(peerReport.jitterMs),
      roundTripMs: typeof peerReport?.roundTripMs === 'number' ? roundedMs(peerReport.roundTripMs) : null,
    };
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
    if (reason !== 'service_restart' && playsMs > 0) await delay(clock, playsMs);
    await this.#options.hangUp(reason);
  }

  #end(reason: DisconnectReason, detail: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#checkTimer.cancel();
    this.#sample();
    this.#userVoice?.close();
    this.#agentVoice.close();
    this.#deps.rtp.close();
    this.events.push({ type: 'closed', reason, detail });
    this.events.close();
  }

  #onPacket(bytes: Buffer, arrivedMs: number): void {
    this.#timeout.received(arrivedMs);
    const packet = isRtcp((bytes[1] ?? 0) & 0x7f) ? null : readRtpPacket(bytes);
    if (!packet) return;
    this.#receivedPackets += 1;
    this.#receivedBytes += packet.payload.length;
    if (this.#negotiated?.isTwoWay) this.#userVoice?.onRtp(packet, arrivedMs);
  }

  #detectorFor({ hasEvents }: NegotiatedMedia): DtmfDetector | null {
    if (hasEvents) return null;
    return new DtmfDetector(this.inputFormat.sampleRateHz, (digit) => {
      this.#lastTone = { digit, atMs: this.#deps.clock.nowMs() };
      this.events.push({ type: 'dtmf', digit });
    });
  }

  #receive(event: TransportEvent): void {
    if (event.type === 'audio') this.#tones?.push(event.samples);
    if (event.type === 'dtmf') {
      const isSameKey =
        this.#tones !== null &&
        event.digit === this.#lastTone.digit &&
        this.#deps.clock.nowMs() - this.#lastTone.atMs < SAME_KEY_MS;
      this.#tones = null;
      if (isSameKey) return;
    }
    this.events.push(event);
  }

  readonly #onCodecError = (err: Error): void => this.#lose(`the codec failed: ${err.message}`);

  #lose(detail: string): void {
    this.#closing ??= this.#hangUp('connection_error');
    this.#end('connection_error', detail);
  }

  #check(): void {
    const nowMs = this.#deps.clock.nowMs();
    if (this.#negotiated?.isTwoWay) {
      this.#userVoice?.check(nowMs);
      const { mediaTimeoutMs } = this.#deps;
      if (this.#timeout.check(nowMs) >= mediaTimeoutMs) {
        this.#lose(`no audio received for ${mediaTimeoutMs} ms`);
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
    const { received: packets, jitterMs, waitMs, ...rest } = this.#userVoice.statistics;
    const { malformed, stray, unauthenticated } = this.#deps.rtp.dropped;
    const dropped = { malformed: rest.malformed + malformed, stray, unauthenticated };
    const { sentPackets, peerReport } = this.#deps.rtp;
    if (packets + dropped.malformed + stray + unauthenticated + sentPackets === 0) return;
    const counts = { packets, ...rest, ...dropped, sentPackets, sentLost: peerReport?.lost ?? 0 };
    this.#deps.meter.sample({ ...this.#received.of(counts), jitterMs, waitMs, peer: peerReport });
  }

  #scheduleCheck(): Timer {
    return this.#deps.clock.setTimer(CHECK_EVERY_MS, () => this.#check());
  }
}

/** Rounds to 1/100 ms. */
function roundedMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function isSame(a: PayloadTypes, b: PayloadTypes): boolean {
  return (
    [...a.voices].join() === [...b.voices].join() &&
    [...a.telephoneEvents].join() === [...b.telephoneEvents].join()
  );
}
