import { randomBytes } from 'node:crypto';
import { Allowance } from '@calls/foundation/allowance';
import type { Clock } from '@calls/foundation/clock';
import { readRtpPacket } from '../rtp/rtp-packet.ts';
import { RtpSender } from '../rtp/rtp-sender.ts';
import { isRtcp } from '../sdp-values.ts';
import { SrtpReceiver } from '../srtp/srtp-receiver.ts';
import { SrtpSender } from '../srtp/srtp-sender.ts';
import { DigitSender } from './digit-sender.ts';
import type { FrameRing } from './frame-ring.ts';
import type { FrameTicker } from './frame-ticker.ts';
import { FRAME_MS } from './voice-codecs.ts';
import { isSameKeys, type MediaKeys } from './media-encryption.ts';
import type { RtpAddress } from './rtp-address.ts';
import type { RtpPort } from './rtp-port.ts';
import { SourceLatch } from './source-latch.ts';

/** Phones send 50 packets per second, some 100. Further packets are dropped. */
const PACKET_LIMITS = { burst: 500, perSecond: 200 };

/** How frames are sent. */
export interface SentFormat {
  clockRateHz: number;
  /** Sent while there are no frames. */
  silence: Uint8Array;
  silenceType: number;
}

/** Settings of a running session. */
export type RtpCommand =
  /** The peer signals its address. */
  | { type: 'signalled'; address: RtpAddress }
  /** Null: nothing is sent, and written frames are dropped. */
  | { type: 'format'; format: SentFormat | null }
  /** Null: packets are not encrypted. Unchanged keys continue with their rollover counters. */
  | { type: 'keys'; keys: MediaKeys | null }
  /** DTMF digits to send. */
  | { type: 'digits'; digits: string; payloadType: number };

export interface RtpSessionOptions {
  port: Pick<RtpPort, 'send' | 'close' | 'onPacket'>;
  ring: FrameRing;
  ticker: FrameTicker;
  /** Receives the peer's packets, authenticated and decrypted. Owns the bytes. */
  onPacket: (bytes: Buffer, arrivedMs: number) => void;
  clock: Clock;
}

/**
 * RTP of one call: sends a packet in each tick, with a frame of the ring or silence, and receives the peer's packets.
 * Runs in the thread of its socket.
 */
export class RtpSession {
  readonly #options: RtpSessionOptions;
  readonly #latch = new SourceLatch();
  readonly #allowance: Allowance;
  #format: SentFormat | null = null;
  #sender: RtpSender | null = null;
  #senderRateHz = 0;
  #keys: MediaKeys | null = null;
  #srtpSender: SrtpSender | null = null;
  #srtpReceiver: SrtpReceiver | null = null;
  readonly #digits = new DigitSender();
  #tick = 0;
  #isSpeaking = false;
  #isClosed = false;

  constructor(options: RtpSessionOptions) {
    const { port, ticker, clock } = options;
    this.#options = options;
    this.#allowance = new Allowance(PACKET_LIMITS, clock.nowMs());
    port.onPacket = (bytes, from) => this.#receive(bytes, from);
    ticker.add(this.#onTick);
  }

  apply(command: RtpCommand): void {
    switch (command.type) {
      case 'signalled':
        return this.#latch.signalled(command.address);
      case 'format':
        return this.#useFormat(command.format);
      case 'keys':
        return this.#useKeys(command.keys);
      case 'digits':
        return this.#digits.press(command.digits, command.payloadType, this.#senderRateHz);
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.ticker.remove(this.#onTick);
    this.#options.port.close();
  }

  #useFormat(format: SentFormat | null): void {
    this.#format = format;
    if (!format || format.clockRateHz === this.#senderRateHz) return;
    // Timestamps of another clock rate belong to another source (RFC 7160).
    const random = randomBytes(10);
    this.#senderRateHz = format.clockRateHz;
    this.#sender = new RtpSender({
      ssrc: random.readUInt32BE(0),
      payloadType: format.silenceType,
      clockRateHz: format.clockRateHz,
      // A receiver of encrypted audio must not miss the first wrap (RFC 3711, 3.3.1).
      firstSequenceNumber: random.readUInt16BE(4) & 0x7fff,
      firstTimestamp: random.readUInt32BE(6),
      areKept: true,
    });
  }

  #useKeys(keys: MediaKeys | null): void {
    const before = this.#keys;
    this.#keys = keys;
    if (!isSameKeys(before?.send, keys?.send)) this.#srtpSender = keys && new SrtpSender(keys.send);
    if (!isSameKeys(before?.receive, keys?.receive))
      this.#srtpReceiver = keys && new SrtpReceiver(keys.receive);
  }

  readonly #onTick = (tick: number): void => {
    const { ring } = this.#options;
    if (!this.#format) {
      ring.discard();
      this.#digits.clear();
      return;
    }
    this.#tick = tick;
    const digit = this.#digits.next(tick);
    if (digit) {
      this.#isSpeaking = false;
      if (digit === 'pause') this.#send(this.#format.silence, this.#format.silenceType, false);
      else this.#send(digit.payload, digit.payloadType, digit.marker, digit.startTick);
      return;
    }
    if (ring.take(this.#sendFrame)) {
      this.#isSpeaking = true;
      ring.sentIn(tick);
      return;
    }
    this.#isSpeaking = false;
    this.#send(this.#format.silence, this.#format.silenceType, false);
  };

  readonly #sendFrame = (payload: Uint8Array, payloadType: number): void => {
    this.#send(payload, payloadType, !this.#isSpeaking);
  };

  #send(payload: Uint8Array, payloadType: number, marker: boolean, tick = this.#tick): void {
    const packet = this.#sender?.send(payload, { mediaMs: tick * FRAME_MS, marker, payloadType });
    const { target } = this.#latch;
    if (!packet || !target) return;
    this.#options.port.send(this.#srtpSender?.protectRtp(packet) ?? packet, target);
  }

  #receive(bytes: Buffer, from: RtpAddress): void {
    const { ring, clock, onPacket } = this.#options;
    const nowMs = clock.nowMs();
    // Before the address is signalled, it is not known whose packets these are.
    if (!this.#latch.target || !this.#allowance.take(nowMs)) return;
    if (isRtcp((bytes[1] ?? 0) & 0x7f)) {
      if (!this.#latch.isFromPeer(from)) return;
      const report = this.#srtpReceiver ? this.#srtpReceiver.unprotectRtcp(bytes) : bytes;
      if (report) onPacket(report, nowMs);
      else ring.count('unauthenticated');
      return;
    }
    const plain = this.#srtpReceiver ? this.#srtpReceiver.unprotectRtp(bytes) : bytes;
    const packet = plain && readRtpPacket(plain);
    if (!plain) ring.count('unauthenticated');
    else if (!packet) ring.count('malformed');
    else if (!this.#latch.accepts(from, packet, nowMs)) ring.count('stray');
    else onPacket(plain, nowMs);
  }
}
