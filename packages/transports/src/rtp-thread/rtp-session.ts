import { randomBytes } from 'node:crypto';
import { TokenBucket, type TokenBucketLimits } from '@calls/foundation/token-bucket';
import type { Clock } from '@calls/foundation/clock';
import { readRtpPacket } from '../rtp/rtp-packet.ts';
import { RtpSender } from '../rtp/rtp-sender.ts';
import { isRtcp } from '../sdp-values.ts';
import { SrtpReceiver } from '../srtp/srtp-receiver.ts';
import { SrtpSender } from '../srtp/srtp-sender.ts';
import { DigitSender } from './digit-sender.ts';
import type { FrameRing } from './frame-ring.ts';
import type { FrameTicker } from './frame-ticker.ts';
import { FRAME_MS } from '../rtp/voice-codecs.ts';
import { DtlsMedia, isDtls, type SharedDtls } from '../dtls/dtls-media.ts';
import { isSameKeys, type NegotiatedEncryption, type MediaKeys } from '../srtp/media-encryption.ts';
import type { RtpAddress } from '../rtp/rtp-address.ts';
import type { RtpPort } from './rtp-port.ts';
import { RtcpSession, type SentStream } from '../rtp/rtcp-session.ts';
import { SourceLatch } from './source-latch.ts';

/** Phones send 50 packets per second, some 100. Further packets are dropped. */
export const PHONE_LIMITS: TokenBucketLimits = { burst: 500, perSecond: 200 };

/** How frames are sent. */
export interface SentFormat {
  clockRateHz: number;
  /** Sent while there are no frames; null: nothing is sent then. */
  silence: Uint8Array | null;
  silenceType: number;
  /** Default: random. */
  ssrc?: number | undefined;
}

/** Settings of a running session. */
export type RtpCommand =
  /** The peer signals its address. */
  | { type: 'signalled'; address: RtpAddress }
  /** Null: nothing is sent, and written frames are dropped. */
  | { type: 'format'; format: SentFormat | null }
  /** Null: packets are not encrypted. Unchanged keys continue with their rollover counters. */
  | { type: 'encryption'; encryption: NegotiatedEncryption | null }
  /** DTLS was offered: see `DtlsMedia.offered`. */
  | { type: 'dtlsOffered' }
  /** Where the peer receives RTCP: with the audio if it is muxed, otherwise `address`; nowhere if that is null. */
  | { type: 'rtcp'; address: RtpAddress | null; isMuxed: boolean }
  /** DTMF digits to send. */
  | { type: 'digits'; digits: string; payloadType: number };

export type SessionPort = Pick<RtpPort, 'send' | 'close' | 'onPacket'>;

type SessionKeys = Pick<MediaKeys, 'send' | 'receive'>;

export interface RtpSessionOptions {
  port: SessionPort;
  /** Opens the port next to `port`, for RTCP that is not muxed. */
  openRtcpPort: () => Promise<SessionPort>;
  ring: FrameRing;
  ticker: FrameTicker;
  /** Receives the peer's packets, authenticated and decrypted. Owns the bytes. */
  onPacket: (bytes: Buffer, arrivedMs: number) => void;
  /** Called when no audio can be exchanged any more. The session stays open. */
  onLost: (detail: string) => void;
  /** Null: DTLS is not available. */
  dtls: SharedDtls | null;
  /** Limits of received packets. */
  limits: TokenBucketLimits;
  clock: Clock;
}

/**
 * RTP of one call: sends a packet in each tick, with a frame of the ring or silence, and receives the peer's packets.
 * Runs in the thread of its socket.
 */
export class RtpSession {
  readonly #options: RtpSessionOptions;
  readonly #latch = new SourceLatch();
  readonly #allowance: TokenBucket;
  #format: SentFormat | null = null;
  #sender: RtpSender | null = null;
  #senderRateHz = 0;
  #keys: SessionKeys | null = null;
  readonly #dtls: DtlsMedia | null;
  /** Whether the keys come from DTLS. Then nothing is sent or received without keys. */
  #isDtls = false;
  #srtpSender: SrtpSender | null = null;
  #srtpReceiver: SrtpReceiver | null = null;
  readonly #digits = new DigitSender();
  readonly #rtcp: RtcpSession;
  #isRtcpMuxed = false;
  /** Null if RTCP is muxed, or not sent. */
  #rtcpTarget: RtpAddress | null = null;
  #rtcpPort: SessionPort | null = null;
  #ssrc = 0;
  #firstTimestamp = 0;
  #sentPackets = 0;
  #sentOctets = 0;
  #tick = 0;
  #isSpeaking = false;
  /** Frames that were sent before their tick. */
  #ahead = 0;
  #isClosed = false;

  constructor(options: RtpSessionOptions) {
    const { port, ticker, limits, clock } = options;
    this.#options = options;
    this.#allowance = new TokenBucket(limits, clock.nowMs());
    this.#rtcp = new RtcpSession(clock.nowMs());
    this.#dtls = options.dtls && this.#openDtls(options.dtls);
    port.onPacket = (bytes, from) => this.#receive(bytes, from);
    ticker.add(this.#onTick);
  }

  apply(command: RtpCommand): void {
    switch (command.type) {
      case 'signalled':
        this.#latch.signalled(command.address, this.#options.clock.nowMs());
        return this.#dtls?.signalled(command.address, this.#options.clock.nowMs());
      case 'format':
        return this.#useFormat(command.format);
      case 'encryption':
        return this.#useEncryption(command.encryption);
      case 'dtlsOffered':
        return this.#dtls?.offered();
      case 'rtcp':
        return this.#useRtcp(command.address, command.isMuxed);
      case 'digits':
        return this.#digits.press(command.digits, command.payloadType, this.#senderRateHz);
    }
  }

  close(): void {
    if (this.#isClosed) return;
    const sent = this.#sent();
    if (sent) this.#sendReport(this.#rtcp.goodbye(sent, this.#options.clock.nowMs()));
    this.#isClosed = true;
    this.#options.ticker.remove(this.#onTick);
    this.#dtls?.close();
    this.#rtcpPort?.close();
    this.#options.port.close();
  }

  #useFormat(format: SentFormat | null): void {
    this.#format = format;
    this.#dtls?.start(this.#options.clock.nowMs());
    if (!format || format.clockRateHz === this.#senderRateHz) return;
    // Timestamps of another clock rate belong to another source (RFC 7160).
    const random = randomBytes(10);
    this.#senderRateHz = format.clockRateHz;
    this.#ssrc = format.ssrc ?? random.readUInt32BE(0);
    this.#firstTimestamp = random.readUInt32BE(6);
    this.#sentPackets = 0;
    this.#sentOctets = 0;
    this.#sender = new RtpSender({
      ssrc: this.#ssrc,
      payloadType: format.silenceType,
      clockRateHz: format.clockRateHz,
      // A receiver of encrypted audio must not miss the first wrap (RFC 3711, 3.3.1).
      firstSequenceNumber: random.readUInt16BE(4) & 0x7fff,
      firstTimestamp: this.#firstTimestamp,
      retainsPackets: true,
    });
  }

  #openDtls({ context, unknownSources }: SharedDtls): DtlsMedia {
    const { port, onLost, clock } = this.#options;
    const media = {
      ...{ context, unknownSources },
      send: (datagram: Buffer, to: RtpAddress) => port.send(datagram, to),
      onKeys: (keys: SessionKeys, peer: RtpAddress) => {
        this.#latch.confirmed(peer);
        this.#useKeys(keys);
      },
      onFailed: onLost,
    };
    return new DtlsMedia(media, clock.nowMs());
  }

  #useEncryption(encryption: NegotiatedEncryption | null): void {
    const isDtls = encryption?.type === 'dtls';
    if (isDtls && !this.#isDtls) this.#useKeys(null);
    this.#isDtls = isDtls;
    if (isDtls) this.#dtls?.use(encryption, this.#options.clock.nowMs());
    else {
      this.#dtls?.close();
      this.#useKeys(encryption);
    }
  }

  /** Whether the handshake that provides the keys is still incomplete. */
  get #isBlocked(): boolean {
    return this.#isDtls && !this.#keys;
  }

  #useKeys(keys: SessionKeys | null): void {
    const before = this.#keys;
    this.#keys = keys;
    if (!isSameKeys(before?.send, keys?.send)) this.#srtpSender = keys && new SrtpSender(keys.send);
    if (!isSameKeys(before?.receive, keys?.receive))
      this.#srtpReceiver = keys && new SrtpReceiver(keys.receive);
  }

  #useRtcp(address: RtpAddress | null, isMuxed: boolean): void {
    this.#isRtcpMuxed = isMuxed;
    this.#rtcpTarget = address;
    if (address && !this.#rtcpPort) void this.#openRtcpPort();
  }

  /** Without this port, no reports are exchanged. */
  async #openRtcpPort(): Promise<void> {
    const port = await this.#options.openRtcpPort().catch(() => null);
    if (!port) return;
    if (this.#isClosed || this.#rtcpPort) {
      port.close();
      return;
    }
    this.#rtcpPort = port;
    port.onPacket = (bytes, from) => this.#receiveApart(bytes, from);
  }

  readonly #onTick = (tick: number): void => {
    this.#tick = tick;
    this.#dtls?.tick(this.#options.clock.nowMs());
    // Frames wait for the keys.
    if (this.#isBlocked) return;
    this.#sendAudio(tick);
    const report = this.#rtcp.due(this.#sent(), this.#options.clock.nowMs());
    if (report) this.#sendReport(report);
  };

  #sendAudio(tick: number): void {
    const { ring } = this.#options;
    if (!this.#format) {
      ring.discard();
      this.#digits.clear();
      return;
    }
    const digit = this.#digits.next(tick);
    if (digit) {
      this.#isSpeaking = false;
      if (digit === 'pause') this.#sendSilence(this.#format);
      else this.#send(digit.payload, digit.payloadType, digit.marker, digit.startTick);
      return;
    }
    if (ring.take(this.#sendFrame)) {
      // A peer that gets no silence starts to play with the first frame. A second frame in reserve covers late packets.
      if (!this.#isSpeaking && !this.#format.silence && ring.take(this.#sendNextFrame)) this.#ahead = 1;
      this.#isSpeaking = true;
      ring.sentIn(tick + this.#ahead);
      return;
    }
    this.#isSpeaking = false;
    this.#ahead = 0;
    this.#sendSilence(this.#format);
  }

  #sendSilence({ silence, silenceType }: SentFormat): void {
    if (silence) this.#send(silence, silenceType, false);
  }

  readonly #sendFrame = (payload: Uint8Array, payloadType: number): void => {
    this.#send(payload, payloadType, !this.#isSpeaking, this.#tick + this.#ahead);
  };

  readonly #sendNextFrame = (payload: Uint8Array, payloadType: number): void => {
    this.#send(payload, payloadType, false, this.#tick + 1);
  };

  #send(payload: Uint8Array, payloadType: number, marker: boolean, tick = this.#tick): void {
    const packet = this.#sender?.send(payload, { mediaMs: tick * FRAME_MS, marker, payloadType });
    const { target } = this.#latch;
    if (!packet || !target) return;
    this.#sentPackets += 1;
    this.#sentOctets += payload.length;
    this.#options.ring.packetSent(payload.length);
    this.#options.port.send(this.#srtpSender?.protectRtp(packet) ?? packet, target);
  }

  #sent(): SentStream | null {
    if (this.#senderRateHz === 0) return null;
    const ticks = (FRAME_MS * this.#senderRateHz) / 1000;
    return {
      ssrc: this.#ssrc,
      clockRateHz: this.#senderRateHz,
      packets: this.#sentPackets,
      octets: this.#sentOctets,
      timestamp: (this.#firstTimestamp + this.#tick * ticks) >>> 0,
    };
  }

  #sendReport(report: Buffer): void {
    if (this.#isBlocked) return;
    const port = this.#isRtcpMuxed ? this.#options.port : this.#rtcpPort;
    const target = this.#isRtcpMuxed ? this.#latch.target : this.#rtcpTarget;
    if (port && target) port.send(this.#srtpSender?.protectRtcp(report) ?? report, target);
  }

  /**
   * Handles a packet at the RTCP port. Behind a NAT, it comes from another port than signalled, and reports are then
   * sent there.
   */
  #receiveApart(bytes: Buffer, from: RtpAddress): void {
    const nowMs = this.#options.clock.nowMs();
    if (from.address !== this.#latch.target?.address || !this.#allowance.take(nowMs)) return;
    if (this.#receiveReport(bytes, nowMs)) this.#rtcpTarget = from;
  }

  /** Returns whether the report was authentic. */
  #receiveReport(bytes: Buffer, nowMs: number): boolean {
    const { ring, onPacket } = this.#options;
    const report = this.#srtpReceiver ? this.#srtpReceiver.unprotectRtcp(bytes) : bytes;
    if (!report) {
      ring.count('unauthenticated');
      return false;
    }
    const about = this.#rtcp.reported(report, this.#sent(), nowMs);
    if (about) ring.peerReported(about);
    onPacket(report, nowMs);
    return true;
  }

  #receive(bytes: Buffer, from: RtpAddress): void {
    const { ring, clock, onPacket } = this.#options;
    const nowMs = clock.nowMs();
    if (!this.#allowance.take(nowMs)) return;
    if (isDtls(bytes)) {
      this.#dtls?.receive(bytes, from, nowMs);
      return;
    }
    // Before the address is signalled, it is not known whose packets these are.
    if (!this.#latch.target || this.#isBlocked) return;
    if (isRtcp((bytes[1] ?? 0) & 0x7f)) {
      if (!this.#latch.isFromPeer(from)) return;
      this.#receiveReport(bytes, nowMs);
      return;
    }
    const plain = this.#srtpReceiver ? this.#srtpReceiver.unprotectRtp(bytes) : bytes;
    const packet = plain && readRtpPacket(plain);
    if (!plain) ring.count('unauthenticated');
    else if (!packet) ring.count('malformed');
    else if (!this.#latch.accepts(from, packet, nowMs)) ring.count('stray');
    else {
      this.#rtcp.received(packet, nowMs, this.#senderRateHz || 8000);
      onPacket(plain, nowMs);
    }
  }
}
