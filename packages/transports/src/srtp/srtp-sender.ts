import { packetCipher, type PacketCipher } from './packet-cipher.ts';
import { RTCP_HEADER_BYTES, rtpHeaderBytes } from './packet-parts.ts';
import { deriveSessionKeys } from './session-keys.ts';
import type { SrtpKeys } from './srtp-suite.ts';

const NOTHING = new Uint8Array(0);
/** The bit of the SRTCP index that marks an encrypted packet. */
const IS_ENCRYPTED = 0x80000000;
const MAX_RTCP_INDEX = 0x7fffffff;

/** Encrypts the packets of one SSRC at a time (RFC 3711). */
export class SrtpSender {
  readonly #isGcm: boolean;
  readonly #rtp: PacketCipher;
  readonly #rtcp: PacketCipher;
  #ssrc: number | null = null;
  #rollovers = 0;
  #lastSequenceNumber = 0;
  #rtcpIndex = 0;

  constructor(keys: SrtpKeys) {
    this.#isGcm = keys.suite.startsWith('AEAD');
    this.#rtp = packetCipher(keys.suite, deriveSessionKeys(keys, 'rtp'), 'rtp');
    this.#rtcp = packetCipher(keys.suite, deriveSessionKeys(keys, 'rtcp'), 'rtcp');
  }

  /**
   * Sequence numbers of an SSRC must increase, and an earlier SSRC must not be used again. Throws a RangeError if the
   * packet is malformed.
   */
  protectRtp(packet: Buffer): Buffer {
    const headerBytes = rtpHeaderBytes(packet);
    if (headerBytes === null) throw new RangeError('a malformed RTP packet cannot be encrypted');
    const low = packet.readUInt16BE(2);
    const ssrc = packet.readUInt32BE(8);
    if (ssrc !== this.#ssrc) this.#rollovers = 0;
    else if (low < this.#lastSequenceNumber) this.#rollovers += 1;
    this.#ssrc = ssrc;
    this.#lastSequenceNumber = low;
    const header = packet.subarray(0, headerBytes);
    const parts = { header, body: packet.subarray(headerBytes), trailer: NOTHING };
    const place = { ssrc, high: this.#rollovers, low };
    const { body, tag } = this.#rtp.seal(parts, place);
    return Buffer.concat([header, body, tag]);
  }

  /** Throws a RangeError if the packet is malformed. */
  protectRtcp(packet: Buffer): Buffer {
    if (packet.length < RTCP_HEADER_BYTES)
      throw new RangeError('a malformed RTCP packet cannot be encrypted');
    const low = this.#rtcpIndex;
    this.#rtcpIndex = (low + 1) & MAX_RTCP_INDEX;
    const trailer = Buffer.alloc(4);
    trailer.writeUInt32BE((IS_ENCRYPTED | low) >>> 0);
    const header = packet.subarray(0, RTCP_HEADER_BYTES);
    const parts = { header, body: packet.subarray(RTCP_HEADER_BYTES), trailer };
    const { body, tag } = this.#rtcp.seal(parts, { ssrc: packet.readUInt32BE(4), high: 0, low });
    return Buffer.concat(this.#isGcm ? [header, body, tag, trailer] : [header, body, trailer, tag]);
  }
}
