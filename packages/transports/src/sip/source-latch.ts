import type { RtpPacket } from '../rtp/rtp-packet.ts';
import { sequenceDelta } from '../rtp/sequence.ts';
import { isSameAddress, type RtpAddress } from './rtp-address.ts';

/** The current source is retained until it has been silent for this long. */
export const SOURCE_SILENT_MS = 2000;
/** Number of consecutive packets that confirm a source other than the signalled one. */
export const PROOF_PACKETS = 4;
const MAX_STEP = 3;

type Header = Pick<RtpPacket, 'ssrc' | 'sequenceNumber'>;

interface Candidate extends Header {
  address: RtpAddress;
  count: number;
}

/**
 * Decides which packet source is the peer: behind a NAT its packets come from another address than it signals. To prevent
 * hijacking, a source at the signalled address is accepted at once, another one after several packets in a row, and neither
 * while the current source is active. Pure: time is an argument of each call.
 */
export class SourceLatch {
  #signalled: RtpAddress | null = null;
  #source: RtpAddress | null = null;
  #lastPacketMs = -Infinity;
  #candidate: Candidate | null = null;

  /** Destination of packets; null if unknown. */
  get target(): RtpAddress | null {
    return this.#source ?? this.#signalled;
  }

  /** The peer signals its address. A new address restarts the detection of the source. */
  signalled(address: RtpAddress): void {
    if (this.#signalled && isSameAddress(this.#signalled, address)) return;
    this.#signalled = address;
    this.#source = null;
    this.#candidate = null;
  }

  /** Whether to accept a packet from `from`. */
  accepts(from: RtpAddress, header: Header, nowMs: number): boolean {
    if (!this.#isSource(from, header, nowMs)) return false;
    this.#lastPacketMs = nowMs;
    return true;
  }

  #isSource(from: RtpAddress, header: Header, nowMs: number): boolean {
    if (this.#source && isSameAddress(this.#source, from)) return true;
    if (this.#source && nowMs - this.#lastPacketMs < SOURCE_SILENT_MS) return false;
    if (from.address !== this.#signalled?.address && !this.#isProven(from, header)) return false;
    this.#source = from;
    this.#candidate = null;
    return true;
  }

  #isProven(from: RtpAddress, { ssrc, sequenceNumber }: Header): boolean {
    const before = this.#candidate;
    const step = before ? sequenceDelta(sequenceNumber, before.sequenceNumber) : 0;
    const goesOn =
      before?.ssrc === ssrc && isSameAddress(before.address, from) && step > 0 && step <= MAX_STEP;
    const count = goesOn ? before.count + 1 : 1;
    this.#candidate = { address: from, ssrc, sequenceNumber, count };
    return count >= PROOF_PACKETS;
  }
}
