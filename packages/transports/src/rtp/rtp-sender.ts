import { RTP_HEADER_BYTES, writeRtpPacket, type RtpPacket } from './rtp-packet.ts';

export interface RtpSenderOptions {
  ssrc: number;
  payloadType: number;
  clockRateHz: number;
  /** At random, as the next is (RFC 3550, 5.1). */
  firstSequenceNumber: number;
  /** The timestamp of media time 0. */
  firstTimestamp: number;
  /** Default 1275: the largest Opus frame. */
  maxPayloadBytes?: number;
  /** Whether the receiver keeps packets. Else one buffer serves them all, and each is valid until the next. */
  areKept: boolean;
}

const LARGEST_OPUS_FRAME_BYTES = 1275;

/** Makes one stream's payloads packets: numbers in order, timestamps that follow the media time over silences too. */
export class RtpSender {
  readonly #options: RtpSenderOptions;
  readonly #buffer: Buffer;
  readonly #packet: RtpPacket;
  #endMs: number | null = null;

  constructor(options: RtpSenderOptions) {
    this.#options = options;
    const { areKept, maxPayloadBytes = LARGEST_OPUS_FRAME_BYTES } = options;
    this.#buffer = newBuffer(areKept ? 0 : maxPayloadBytes);
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
   * The packet of audio that begins at `mediaMs`. The marker says that it begins a talk spurt: it doesn't follow right after
   * what was sent before. Throws a RangeError where the payload is too large.
   */
  audio(payload: Uint8Array, mediaMs: number, durationMs: number): Buffer {
    const marker = this.#endMs === null || Math.abs(mediaMs - this.#endMs) >= durationMs / 2;
    this.#endMs = mediaMs + durationMs;
    return this.send(payload, { mediaMs, marker });
  }

  /** Any other packet of the same stream, of another payload type (telephone events), say. */
  send(payload: Uint8Array, fields: { mediaMs: number; marker: boolean; payloadType?: number }): Buffer {
    const { areKept, clockRateHz, firstTimestamp, payloadType } = this.#options;
    const packet = this.#packet;
    packet.marker = fields.marker;
    packet.payloadType = fields.payloadType ?? payloadType;
    packet.timestamp = (firstTimestamp + Math.round((fields.mediaMs * clockRateHz) / 1000)) >>> 0;
    packet.payload = payload;
    const buffer = areKept ? newBuffer(payload.length) : this.#buffer;
    const length = writeRtpPacket(packet, buffer);
    packet.sequenceNumber = (packet.sequenceNumber + 1) & 0xffff;
    return buffer.subarray(0, length);
  }
}

function newBuffer(payloadBytes: number): Buffer {
  return Buffer.allocUnsafe(RTP_HEADER_BYTES + payloadBytes);
}
