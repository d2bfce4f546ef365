import { RTP_HEADER_BYTES, writeRtpPacket, type RtpPacket } from './rtp-packet.ts';

export interface RtpSenderOptions {
  ssrc: number;
  payloadType: number;
  clockRateHz: number;
  /** Should be random, like `firstTimestamp` (RFC 3550, 5.1). */
  firstSequenceNumber: number;
  /** Timestamp of media time 0. */
  firstTimestamp: number;
  /** Default: 1275 bytes, the largest Opus frame. */
  maxPayloadBytes?: number;
  /** Whether the receiver retains packets. Otherwise one buffer is reused, and a packet is valid until the next one. */
  retainsPackets: boolean;
}

const LARGEST_OPUS_FRAME_BYTES = 1275;

/**
 * Packetizes the payloads of one stream: consecutive sequence numbers, and timestamps that follow media time across
 * silence.
 */
export class RtpSender {
  readonly #options: RtpSenderOptions;
  readonly #buffer: Buffer;
  readonly #packet: RtpPacket;
  #endMs: number | null = null;

  constructor(options: RtpSenderOptions) {
    this.#options = options;
    const { retainsPackets, maxPayloadBytes = LARGEST_OPUS_FRAME_BYTES } = options;
    this.#buffer = newBuffer(retainsPackets ? 0 : maxPayloadBytes);
    this.#packet = {
      marker: false,
      payloadType: options.payloadType,
      sequenceNumber: options.firstSequenceNumber & 0xffff,
      timestamp: 0,
      ssrc: options.ssrc,
      payload: this.#buffer,
    };
  }

  /**
   * Returns the packet of the audio that starts at `mediaMs`. The marker is set at the start of a talk spurt, when the
   * audio does not directly follow the previous packet. Throws a RangeError if the payload is too large.
   */
  audio(payload: Uint8Array, mediaMs: number, durationMs: number): Buffer {
    const marker = this.#endMs === null || Math.abs(mediaMs - this.#endMs) >= durationMs / 2;
    this.#endMs = mediaMs + durationMs;
    return this.send(payload, { mediaMs, marker });
  }

  /** Returns a packet of another payload type in the same stream, such as a telephone event. */
  send(payload: Uint8Array, fields: { mediaMs: number; marker: boolean; payloadType?: number }): Buffer {
    const { retainsPackets, clockRateHz, firstTimestamp, payloadType } = this.#options;
    const packet = this.#packet;
    packet.marker = fields.marker;
    packet.payloadType = fields.payloadType ?? payloadType;
    packet.timestamp = (firstTimestamp + Math.round((fields.mediaMs * clockRateHz) / 1000)) >>> 0;
    packet.payload = payload;
    const buffer = retainsPackets ? newBuffer(payload.length) : this.#buffer;
    const length = writeRtpPacket(packet, buffer);
    packet.sequenceNumber = (packet.sequenceNumber + 1) & 0xffff;
    return buffer.subarray(0, length);
  }
}

function newBuffer(payloadBytes: number): Buffer {
  return Buffer.allocUnsafe(RTP_HEADER_BYTES + payloadBytes);
}
