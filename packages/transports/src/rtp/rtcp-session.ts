import { randomBytes } from 'node:crypto';
import { ntpMiddle, readRtcpReports, writeRtcpReport, type RtcpReport } from './rtcp-packet.ts';
import { ReceptionStatistics } from './reception-statistics.ts';
import type { RtpPacket } from './rtp-packet.ts';

/** What the peer reports about received audio. */
export interface PeerReport {
  /** Packets lost on the way to the peer since the beginning. */
  lost: number;
  jitterMs: number;
  /** Null if it cannot be computed. */
  roundTripMs: number | null;
}

/** What was sent. */
export interface SentStream {
  ssrc: number;
  clockRateHz: number;
  packets: number;
  octets: number;
  /** Timestamp of audio sent now. */
  timestamp: number;
}

const INTERVAL_MS = 5000;
/** Intervals vary by half, so that many calls do not report together (RFC 3550, 6.2). */
const VARIATION = 0.5;
/** The first report is early, for the round trip of short calls. */
const FIRST_INTERVAL_MS = 1000;

/** Reports of one call to its peer and from it (RFC 3550). Pure: time is an argument. */
export class RtcpSession {
  /** An identifier without personal data (RFC 7022). */
  readonly #name = randomBytes(12).toString('base64url');
  readonly #random: () => number;
  #reception: ReceptionStatistics | null = null;
  #reportedPackets = 0;
  #nextMs: number;

  constructor(nowMs: number, random: () => number = Math.random) {
    this.#random = random;
    this.#nextMs = nowMs + this.#varied(FIRST_INTERVAL_MS);
  }

  /** Call it for each RTP packet of the peer. */
  received(packet: RtpPacket, arrivedMs: number, clockRateHz: number): void {
    if (this.#reception?.ssrc !== packet.ssrc) this.#reception = new ReceptionStatistics(packet);
    this.#reception.add(packet, arrivedMs, clockRateHz);
  }

  /** Call it for each compound packet of the peer. Returns its report about `sent`, if any. */
  reported(bytes: Buffer, sent: SentStream | null, nowMs: number): PeerReport | null {
    let about: PeerReport | null = null;
    for (const report of readRtcpReports(bytes)) {
      if (report.sender && report.ssrc === this.#reception?.ssrc)
        this.#reception.reported(report.sender.ntpMs, nowMs);
      about = reportAbout(report, sent, nowMs) ?? about;
    }
    return about;
  }

  /** Returns the packet that is due, or null. */
  due(sent: SentStream | null, nowMs: number): Buffer | null {
    if (nowMs < this.#nextMs || !sent) return null;
    this.#nextMs = nowMs + this.#varied(INTERVAL_MS);
    return this.#report(sent, nowMs, false);
  }

  /** Returns the last packet, because the call ends. */
  goodbye(sent: SentStream, nowMs: number): Buffer {
    return this.#report(sent, nowMs, true);
  }

  #report({ ssrc, timestamp, packets, octets }: SentStream, nowMs: number, isLast: boolean): Buffer {
    const sender = packets === this.#reportedPackets ? null : { ntpMs: nowMs, timestamp, packets, octets };
    this.#reportedPackets = packets;
    const blocks = this.#reception ? [this.#reception.block(nowMs)] : [];
    return writeRtcpReport({ ssrc, sender, blocks }, this.#name, isLast);
  }

  #varied(intervalMs: number): number {
    return intervalMs * (1 + VARIATION * (2 * this.#random() - 1));
  }
}

function reportAbout({ blocks }: RtcpReport, sent: SentStream | null, nowMs: number): PeerReport | null {
  const block = sent && blocks.find(({ ssrc }) => ssrc === sent.ssrc);
  if (!block) return null;
  // A difference of 32-bit numbers that may have wrapped.
  const elapsed = (ntpMiddle(nowMs) - block.lastReport - block.delay) | 0;
  return {
    lost: Math.max(0, block.lost),
    jitterMs: (block.jitter * 1000) / sent.clockRateHz,
    roundTripMs: block.lastReport === 0 ? null : Math.max(0, elapsed / 65.536),
  };
}
