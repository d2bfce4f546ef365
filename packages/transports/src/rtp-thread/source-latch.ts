import type { RtpPacket } from '../rtp/rtp-packet.ts';
import { sequenceDelta } from '../rtp/sequence.ts';
import { isSameAddress, type RtpAddress } from '../rtp/rtp-address.ts';

/** A source at another IP address can replace the current one after this time without packets. */
export const SOURCE_SILENT_MS = 2000;
/** The same for another port of the current IP address. */
export const PORT_SILENT_MS = 100;
/**
 * After a peer has moved its media, packets from its previous address are dropped as late for this time. Then they count
 * again: behind a NAT, the new private address may have the same public one.
 */
export const PREVIOUS_SOURCE_LATE_MS = 500;
/** Number of consecutive packets that confirm a source other than the signalled one. */
export const PROOF_PACKETS = 4;
const MAX_STEP = 3;
/** Packets that may be lost when a NAT maps the same stream to another port: 1 s. */
const MAX_GAP = 50;

type Header = Pick<RtpPacket, 'ssrc' | 'sequenceNumber'>;

interface Candidate extends Header {
  address: RtpAddress;
  count: number;
}

/**
 * Decides which packet source is the peer: behind a NAT its packets come from another address than it signals. Pure:
 * time is an argument of each call.
 *
 * - The signalled address and port are accepted immediately, regardless of the current source.
 * - Another port of the current IP address is accepted immediately if the stream continues (SSRC and sequence number),
 *   or else after several packets in a row once the current source is silent.
 * - Another IP address is accepted only when the current source has been silent for longer, to prevent hijacking.
 */
export class SourceLatch {
  #signalled: RtpAddress | null = null;
  #source: RtpAddress | null = null;
  /** The source before the peer moved its media, and when it moved. */
  #previous: RtpAddress | null = null;
  #movedMs = -Infinity;
  #last: Header | null = null;
  #lastPacketMs = -Infinity;
  #candidate: Candidate | null = null;

  /** Destination of packets; null if unknown. */
  get target(): RtpAddress | null {
    return this.#source ?? this.#signalled;
  }

  /**
   * The peer signals its address. A new address restarts the detection of the source. A source that was confirmed before the
   * first signal stays: DTLS may be faster than the SDP answer.
   */
  signalled(address: RtpAddress, nowMs: number): void {
    if (isSame(this.#signalled, address)) return;
    const previous = this.target;
    const isMoved = this.#signalled !== null;
    this.#signalled = address;
    if (!isMoved) return;
    this.#previous = previous;
    this.#movedMs = nowMs;
    this.#source = null;
    this.#last = null;
    this.#candidate = null;
  }

  /** The peer has proved that it is at this address. */
  confirmed(address: RtpAddress): void {
    if (isSame(this.target, address)) return;
    this.#source = address;
    this.#last = null;
    this.#candidate = null;
  }

  /** Whether packets from `from` belong to the current source. */
  isFromPeer(from: RtpAddress): boolean {
    return isSame(this.target, from);
  }

  /** Whether to accept a packet from `from`. */
  accepts(from: RtpAddress, header: Header, nowMs: number): boolean {
    if (!isSame(this.#source, from)) {
      if (!this.#isNewSource(from, header, nowMs)) return false;
      this.#source = from;
      this.#candidate = null;
    }
    this.#last = header;
    this.#lastPacketMs = nowMs;
    return true;
  }

  #isNewSource(from: RtpAddress, header: Header, nowMs: number): boolean {
    if (isSame(this.#signalled, from)) return true;
    if (isSame(this.#previous, from) && nowMs - this.#movedMs < PREVIOUS_SOURCE_LATE_MS) return false;
    const silentMs = nowMs - this.#lastPacketMs;
    if (this.#source?.address === from.address) {
      return this.#continues(header) || (silentMs >= PORT_SILENT_MS && this.#isProven(from, header));
    }
    if (this.#source && silentMs < SOURCE_SILENT_MS) return false;
    return from.address === this.#signalled?.address || this.#isProven(from, header);
  }

  #continues({ ssrc, sequenceNumber }: Header): boolean {
    if (this.#last?.ssrc !== ssrc) return false;
    const step = sequenceDelta(sequenceNumber, this.#last.sequenceNumber);
    return step > 0 && step <= MAX_GAP;
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

function isSame(address: RtpAddress | null, from: RtpAddress): boolean {
  return address !== null && isSameAddress(address, from);
}
