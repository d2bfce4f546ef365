import { sequenceDelta } from '../rtp/sequence.ts';
import { packetCipher, type PacketCipher } from './packet-cipher.ts';
import { RTCP_HEADER_BYTES, rtpHeaderBytes } from './packet-parts.ts';
import { ReplayWindow } from './replay-window.ts';
import { deriveSessionKeys } from './session-keys.ts';
import { SRTP_SUITES, type SrtpKeys } from './srtp-suite.ts';

const NOTHING = new Uint8Array(0);
const INDEX_BYTES = 4;
/**
 * Maximum number of SSRCs; beyond it, the oldest is dropped. A peer changes its SSRC only when a call is transferred or
 * resumed.
 */
const MAX_SOURCES = 4;

/** Authenticates and decrypts a peer's packets (RFC 3711). Packets that are not authentic or were repeated are dropped. */
export class SrtpReceiver {
  readonly #isGcm: boolean;
  readonly #rtpTagBytes: number;
  readonly #rtcpTagBytes: number;
  readonly #rtp: PacketCipher;
  readonly #rtcp: PacketCipher;
  readonly #rtpWindows = new Map<number, ReplayWindow>();
  readonly #rtcpWindows = new Map<number, ReplayWindow>();
  #rejected = 0;

  constructor(keys: SrtpKeys) {
    const { mode, rtpTagBytes, rtcpTagBytes } = SRTP_SUITES[keys.suite];
    this.#isGcm = mode === 'gcm';
    this.#rtpTagBytes = rtpTagBytes;
    this.#rtcpTagBytes = rtcpTagBytes;
    this.#rtp = packetCipher(keys.suite, deriveSessionKeys(keys, 'rtp'), 'rtp');
    this.#rtcp = packetCipher(keys.suite, deriveSessionKeys(keys, 'rtcp'), 'rtcp');
  }

  /** Number of dropped packets. */
  get rejected(): number {
    return this.#rejected;
  }

  /** Returns the RTP packet, or null if it is dropped. */
  unprotectRtp(packet: Buffer): Buffer | null {
    const headerBytes = rtpHeaderBytes(packet);
    const end = packet.length - this.#rtpTagBytes;
    if (headerBytes === null || end < headerBytes) return this.#reject();
    const ssrc = packet.readUInt32BE(8);
    const window = this.#rtpWindows.get(ssrc) ?? new ReplayWindow();
    const index = indexOf(packet.readUInt16BE(2), window.highest);
    if (!window.isNew(index)) return this.#reject();
    const header = packet.subarray(0, headerBytes);
    const body = this.#rtp.open(
      { header, body: packet.subarray(headerBytes, end), trailer: NOTHING },
      packet.subarray(end),
      { ssrc, high: Math.floor(index / 0x10000), low: index % 0x10000 },
    );
    if (!body) return this.#reject();
    window.add(index);
    remember(this.#rtpWindows, ssrc, window);
    return Buffer.concat([header, body]);
  }

  /** Returns the RTCP packet, or null if it is dropped. */
  unprotectRtcp(packet: Buffer): Buffer | null {
    const tagBytes = this.#rtcpTagBytes;
    const end = packet.length - tagBytes - INDEX_BYTES;
    if (end < RTCP_HEADER_BYTES) return this.#reject();
    const indexAt = this.#isGcm ? packet.length - INDEX_BYTES : end;
    const tagAt = this.#isGcm ? end : end + INDEX_BYTES;
    const flagged = packet.readUInt32BE(indexAt);
    const [isEncrypted, low] = [flagged >>> 31 === 1, flagged & 0x7fffffff];
    const ssrc = packet.readUInt32BE(4);
    const window = this.#rtcpWindows.get(ssrc) ?? new ReplayWindow();
    if (!isEncrypted || !window.isNew(low)) return this.#reject();
    const header = packet.subarray(0, RTCP_HEADER_BYTES);
    const trailer = packet.subarray(indexAt, indexAt + INDEX_BYTES);
    const body = this.#rtcp.open(
      { header, body: packet.subarray(RTCP_HEADER_BYTES, end), trailer },
      packet.subarray(tagAt, tagAt + tagBytes),
      { ssrc, high: 0, low },
    );
    if (!body) return this.#reject();
    window.add(low);
    remember(this.#rtcpWindows, ssrc, window);
    return Buffer.concat([header, body]);
  }

  #reject(): null {
    this.#rejected += 1;
    return null;
  }
}

/** The packet's index: its sequence number with the rollovers that bring it closest to the highest (RFC 3711, 3.3.1). */
function indexOf(sequenceNumber: number, highest: number): number {
  if (highest < 0) return sequenceNumber;
  const index = highest + sequenceDelta(sequenceNumber, highest % 0x10000);
  return index < 0 ? index + 0x10000 : index;
}

function remember(windows: Map<number, ReplayWindow>, ssrc: number, window: ReplayWindow): void {
  if (windows.has(ssrc)) return;
  const [oldest] = windows.keys();
  if (oldest !== undefined && windows.size >= MAX_SOURCES) windows.delete(oldest);
  windows.set(ssrc, window);
}
