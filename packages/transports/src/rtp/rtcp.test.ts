import { describe, expect, it } from '@jest/globals';
import { RtcpSession, type SentStream } from './rtcp-session.ts';
import { ReceptionStatistics } from './reception-statistics.ts';
import { readRtcpReports, writeRtcpReport, type RtcpReport } from './rtcp-packet.ts';
import type { RtpPacket } from './rtp-packet.ts';

const BLOCK = { ssrc: 7, fractionLost: 12, lost: -3, highest: 0x1fffe, jitter: 90, lastReport: 5, delay: 6 };
const REPORT: RtcpReport = {
  ssrc: 0xdecafbad,
  sender: { ntpMs: 3_900_000_000_250, timestamp: 0xfffffff0, packets: 100, octets: 16_000 },
  blocks: [BLOCK],
};

function packet(index: number, fields: Partial<RtpPacket> = {}): RtpPacket {
  const header = { marker: false, payloadType: 0, ssrc: 7, payload: new Uint8Array(160) };
  return { ...header, sequenceNumber: (65_530 + index) & 0xffff, timestamp: index * 160, ...fields };
}

describe('RTCP report', () => {
  it('is read as it was written, and the last one ends with BYE', () => {
    for (const report of [REPORT, { ...REPORT, sender: null }, { ...REPORT, blocks: [] }]) {
      const [read] = readRtcpReports(writeRtcpReport(report, 'name', false));
      expect(read).toEqual(report);
    }
    const [plain, last] = [false, true].map((isLast) => writeRtcpReport(REPORT, 'name', isLast));
    expect(last!.subarray(plain!.length)).toEqual(Buffer.from([0x81, 203, 0, 1, 0xde, 0xca, 0xfb, 0xad]));
  });

  it('is not returned when it is truncated or has another packet type', () => {
    const bytes = writeRtcpReport(REPORT, 'name', true);
    for (let length = 0; length < 52; length += 1)
      expect(readRtcpReports(bytes.subarray(0, length))).toEqual([]);
    expect(readRtcpReports(bytes.subarray(52))).toEqual([]);
    const promised = Buffer.from(bytes);
    promised[0] = 0x9f;
    expect(readRtcpReports(promised)).toEqual([]);
  });
});

describe('ReceptionStatistics', () => {
  it('reports loss since the last report and in total, across a wrap of the sequence number', () => {
    const reception = new ReceptionStatistics(packet(0));
    for (let i = 0; i < 10; i += 1) if (i !== 3 && i !== 4) reception.add(packet(i), i * 20, 8000);
    expect(reception.block(0)).toMatchObject({ lost: 2, fractionLost: 51, highest: 65_539, jitter: 0 });
    for (let i = 10; i < 20; i += 1) reception.add(packet(i), i * 20, 8000);
    expect(reception.block(0)).toMatchObject({ lost: 2, fractionLost: 0, highest: 65_549 });
  });

  it('reports jitter, and when the last sender report arrived', () => {
    const reception = new ReceptionStatistics(packet(0));
    for (let i = 0; i < 500; i += 1) reception.add(packet(i), i * 20 + (i % 2) * 10, 8000);
    expect(reception.block(0).jitter).toBe(80);
    reception.reported(1500, 10_000);
    expect(reception.block(12_000)).toMatchObject({ lastReport: 1.5 * 65_536, delay: 2 * 65_536 });
  });
});

describe('RtcpSession', () => {
  const sent: SentStream = { ssrc: 1, clockRateHz: 8000, packets: 50, octets: 8000, timestamp: 9 };

  it('sends reports at regular intervals, and computes the round trip time from the reports of the peer', () => {
    const [a, b] = [new RtcpSession(0, () => 0.5), new RtcpSession(0, () => 0.5)];
    const other: SentStream = { ...sent, ssrc: 7 };
    b.received(packet(0, { ssrc: 1 }), 500, 8000);
    expect(a.due(sent, 999)).toBeNull();
    const first = a.due(sent, 1000)!;
    expect(a.due(sent, 5999)).toBeNull();
    expect(b.reported(first, other, 1030)).toBeNull();
    const answer = b.due(other, 3030)!;
    // 30 ms to the peer, 2 s of delay, 40 ms back.
    expect(a.reported(answer, sent, 3070)?.roundTripMs).toBeCloseTo(70, 0);
    expect(a.reported(answer, { ...sent, ssrc: 2 }, 3070)).toBeNull();
    expect(readRtcpReports(a.due(sent, 6000)!)).toMatchObject([{ sender: null }]);
  });
});
