/** One RTP packet (RFC 3550). Numbers are unsigned. */
export interface RtpPacket {
  marker: boolean;
  payloadType: number;
  /** 16 bits. */
  sequenceNumber: number;
  /** 32 bits, in units of the payload's clock. */
  timestamp: number;
  ssrc: number;
  /** Contributing sources; usually none. */
  csrcs?: readonly number[];
  extension?: RtpHeaderExtension;
  /** Without padding. */
  payload: Uint8Array;
}

export interface RtpHeaderExtension {
  /** 0xbede for one-byte elements (RFC 8285). */
  profile: number;
  /** Multiple of 4 bytes. */
  data: Uint8Array;
}

export const RTP_HEADER_BYTES = 12;
const VERSION = 2;
const MAX_CSRCS = 15;
const MAX_EXTENSION_BYTES = 0xffff * 4;

/** Parses a packet; its arrays are views of `bytes`. Null if malformed; never throws. */
export function readRtpPacket(bytes: Uint8Array): RtpPacket | null {
  if (bytes.length < RTP_HEADER_BYTES) return null;
  const first = byteAt(bytes, 0);
  if (first >> 6 !== VERSION) return null;
  const second = byteAt(bytes, 1);
  const packet: RtpPacket = {
    marker: second >> 7 === 1,
    payloadType: second & 0x7f,
    sequenceNumber: uint16At(bytes, 2),
    timestamp: uint32At(bytes, 4),
    ssrc: uint32At(bytes, 8),
    payload: bytes,
  };
  let position = RTP_HEADER_BYTES;
  const csrcCount = first & 0x0f;
  if (csrcCount > 0) {
    const end = position + csrcCount * 4;
    if (end > bytes.length) return null;
    packet.csrcs = Array.from({ length: csrcCount }, (_, i) => uint32At(bytes, RTP_HEADER_BYTES + i * 4));
    position = end;
  }
  if ((first & 0x10) !== 0) {
    if (position + 4 > bytes.length) return null;
    const end = position + 4 + uint16At(bytes, position + 2) * 4;
    if (end > bytes.length) return null;
    packet.extension = { profile: uint16At(bytes, position), data: bytes.subarray(position + 4, end) };
    position = end;
  }
  let end = bytes.length;
  if ((first & 0x20) !== 0) {
    const paddingBytes = byteAt(bytes, bytes.length - 1);
    if (paddingBytes === 0 || position + paddingBytes > bytes.length) return null;
    end -= paddingBytes;
  }
  packet.payload = bytes.subarray(position, end);
  return packet;
}

/** Size of the packet as written by `writeRtpPacket`. */
export function rtpPacketBytes(packet: RtpPacket): number {
  const csrcBytes = (packet.csrcs?.length ?? 0) * 4;
  const extensionBytes = packet.extension ? 4 + packet.extension.data.length : 0;
  return RTP_HEADER_BYTES + csrcBytes + extensionBytes + packet.payload.length;
}

/**
 * Writes `packet` without padding to the start of `into` and returns the number of bytes written. Throws a RangeError
 * if it does not fit or a list is too long. Numbers are truncated to the width of their field.
 */
export function writeRtpPacket(packet: RtpPacket, into: Uint8Array): number {
  const { csrcs = [], extension, payload } = packet;
  const length = rtpPacketBytes(packet);
  if (length > into.length)
    throw new RangeError(`a packet of ${length} bytes does not fit into ${into.length}`);
  if (csrcs.length > MAX_CSRCS)
    throw new RangeError(`a packet has at most ${MAX_CSRCS} contributing sources`);
  into[0] = (VERSION << 6) | (extension ? 0x10 : 0) | csrcs.length;
  into[1] = (packet.marker ? 0x80 : 0) | (packet.payloadType & 0x7f);
  putUint16(into, 2, packet.sequenceNumber);
  putUint32(into, 4, packet.timestamp);
  putUint32(into, 8, packet.ssrc);
  let position = RTP_HEADER_BYTES;
  for (const csrc of csrcs) {
    putUint32(into, position, csrc);
    position += 4;
  }
  if (extension) {
    const { profile, data } = extension;
    if (data.length % 4 !== 0 || data.length > MAX_EXTENSION_BYTES) {
      throw new RangeError('a header extension must be a multiple of 4 bytes, at most 65535 words');
    }
    putUint16(into, position, profile);
    putUint16(into, position + 2, data.length / 4);
    into.set(data, position + 4);
    position += 4 + data.length;
  }
  into.set(payload, position);
  return length;
}

function byteAt(bytes: Uint8Array, offset: number): number {
  return bytes[offset] ?? 0;
}

function uint16At(bytes: Uint8Array, offset: number): number {
  return (byteAt(bytes, offset) << 8) | byteAt(bytes, offset + 1);
}

function uint32At(bytes: Uint8Array, offset: number): number {
  return uint16At(bytes, offset) * 0x10000 + uint16At(bytes, offset + 2);
}

function putUint16(into: Uint8Array, offset: number, value: number): void {
  into[offset] = value >>> 8;
  into[offset + 1] = value;
}

function putUint32(into: Uint8Array, offset: number, value: number): void {
  putUint16(into, offset, value >>> 16);
  putUint16(into, offset + 2, value);
}
