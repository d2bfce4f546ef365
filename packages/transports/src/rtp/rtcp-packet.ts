/** What a receiver reports about one source (RFC 3550, 6.4.1). */
export interface ReportBlock {
  ssrc: number;
  /** Part of the packets lost since the last report, in 1/256. */
  fractionLost: number;
  /** Packets lost since the beginning; negative after duplicates. */
  lost: number;
  /** Highest sequence number with its wraps. */
  highest: number;
  /** In units of the timestamp. */
  jitter: number;
  /** Middle 32 bits of the NTP time of the last sender report; 0 if there was none. */
  lastReport: number;
  /** Time since then, in 1/65536 s. */
  delay: number;
}

/** A sender or receiver report. */
export interface RtcpReport {
  ssrc: number;
  /** Null in a receiver report. */
  sender: { ntpMs: number; timestamp: number; packets: number; octets: number } | null;
  blocks: readonly ReportBlock[];
}

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;
const GOODBYE = 203;
const CNAME = 1;
const VERSION_BITS = 0x80;
const HEADER_BYTES = 8;
const SENDER_BYTES = 20;
const BLOCK_BYTES = 24;
/** Parts of a second in an NTP time. Reports may have a clock with any origin (RFC 3550, 6.4.1). */
const SCALE = 0x1_0000_0000;

/** Reads the reports of a compound packet. Parts that are malformed or of other types are ignored. */
export function readRtcpReports(bytes: Buffer): RtcpReport[] {
  const reports: RtcpReport[] = [];
  for (let start = 0; start + HEADER_BYTES <= bytes.length;) {
    const first = bytes.readUInt8(start);
    const end = start + 4 * (bytes.readUInt16BE(start + 2) + 1);
    if (first >> 6 !== 2 || end > bytes.length) break;
    const report = readReport(bytes.subarray(start, end), first & 0x1f);
    if (report) reports.push(report);
    start = end;
  }
  return reports;
}

function readReport(bytes: Buffer, count: number): RtcpReport | null {
  const type = bytes.readUInt8(1);
  if (type !== SENDER_REPORT && type !== RECEIVER_REPORT) return null;
  const blocksAt = HEADER_BYTES + (type === SENDER_REPORT ? SENDER_BYTES : 0);
  if (bytes.length < blocksAt + count * BLOCK_BYTES) return null;
  const sender =
    type === SENDER_REPORT
      ? {
          ntpMs: ntpMs(bytes.readUInt32BE(8), bytes.readUInt32BE(12)),
          timestamp: bytes.readUInt32BE(16),
          packets: bytes.readUInt32BE(20),
          octets: bytes.readUInt32BE(24),
        }
      : null;
  const blocks = Array.from({ length: count }, (_, i): ReportBlock => {
    const at = blocksAt + i * BLOCK_BYTES;
    return {
      ssrc: bytes.readUInt32BE(at),
      fractionLost: bytes.readUInt8(at + 4),
      lost: bytes.readIntBE(at + 5, 3),
      highest: bytes.readUInt32BE(at + 8),
      jitter: bytes.readUInt32BE(at + 12),
      lastReport: bytes.readUInt32BE(at + 16),
      delay: bytes.readUInt32BE(at + 20),
    };
  });
  return { ssrc: bytes.readUInt32BE(4), sender, blocks };
}

/** A compound packet: the report, the canonical name of its source, and a BYE if `isLast`. */
export function writeRtcpReport({ ssrc, sender, blocks }: RtcpReport, name: string, isLast: boolean): Buffer {
  const report = Buffer.alloc(HEADER_BYTES + (sender ? SENDER_BYTES : 0) + blocks.length * BLOCK_BYTES);
  writeHeader(report, blocks.length, sender ? SENDER_REPORT : RECEIVER_REPORT, ssrc);
  if (sender) {
    const seconds = Math.floor(sender.ntpMs / 1000);
    report.writeUInt32BE(seconds >>> 0, 8);
    report.writeUInt32BE(Math.floor(((sender.ntpMs - seconds * 1000) / 1000) * SCALE) >>> 0, 12);
    report.writeUInt32BE(sender.timestamp, 16);
    report.writeUInt32BE(sender.packets >>> 0, 20);
    report.writeUInt32BE(sender.octets >>> 0, 24);
  }
  for (const [i, block] of blocks.entries()) {
    const at = report.length - (blocks.length - i) * BLOCK_BYTES;
    report.writeUInt32BE(block.ssrc, at);
    report.writeUInt8(block.fractionLost, at + 4);
    report.writeIntBE(block.lost, at + 5, 3);
    report.writeUInt32BE(block.highest, at + 8);
    report.writeUInt32BE(block.jitter, at + 12);
    report.writeUInt32BE(block.lastReport, at + 16);
    report.writeUInt32BE(block.delay, at + 20);
  }
  const nameBytes = Buffer.from(name);
  // At least one zero ends the list of items.
  const description = Buffer.alloc(HEADER_BYTES + 4 * Math.ceil((2 + nameBytes.length + 1) / 4));
  writeHeader(description, 1, SOURCE_DESCRIPTION, ssrc);
  description.set([CNAME, nameBytes.length, ...nameBytes], HEADER_BYTES);
  if (!isLast) return Buffer.concat([report, description]);
  const goodbye = Buffer.alloc(HEADER_BYTES);
  writeHeader(goodbye, 1, GOODBYE, ssrc);
  return Buffer.concat([report, description, goodbye]);
}

/** Middle 32 bits of an NTP time, as in report blocks. */
export function ntpMiddle(ms: number): number {
  return Math.floor((ms / 1000) * 0x10000) % SCALE;
}

function ntpMs(seconds: number, fraction: number): number {
  return seconds * 1000 + (fraction / SCALE) * 1000;
}

function writeHeader(bytes: Buffer, count: number, type: number, ssrc: number): void {
  bytes.writeUInt8(VERSION_BITS | count, 0);
  bytes.writeUInt8(type, 1);
  bytes.writeUInt16BE(bytes.length / 4 - 1, 2);
  bytes.writeUInt32BE(ssrc, 4);
}
