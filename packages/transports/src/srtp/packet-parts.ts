import { RTP_HEADER_BYTES } from '../rtp/rtp-packet.ts';

/** RTCP: the first header with its SSRC. */
export const RTCP_HEADER_BYTES = 8;

/** Length of an RTP packet's header with contributing sources and extension; null if the packet is malformed. */
export function rtpHeaderBytes(packet: Buffer): number | null {
  if (packet.length < RTP_HEADER_BYTES) return null;
  const first = packet.readUInt8(0);
  const fixed = RTP_HEADER_BYTES + (first & 0x0f) * 4;
  if ((first & 0x10) === 0) return fixed <= packet.length ? fixed : null;
  if (fixed + 4 > packet.length) return null;
  const whole = fixed + 4 + packet.readUInt16BE(fixed + 2) * 4;
  return whole <= packet.length ? whole : null;
}
