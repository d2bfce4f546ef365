import type { ReportBlock } from './rtcp-packet.ts';
import { ntpMiddle } from './rtcp-packet.ts';
import type { RtpPacket } from './rtp-packet.ts';
import { sequenceDelta, timestampDelta } from './sequence.ts';

const MAX_LOST = 0x7fffff;

/** What was received from one source, for report blocks (RFC 3550, A.3 and A.8). */
export class ReceptionStatistics {
  readonly ssrc: number;
  readonly #first: number;
  #highest: number;
  #received = 0;
  #reportedExpected = 0;
  #reportedReceived = 0;
  #jitter = 0;
  #last: { timestamp: number; arrivedMs: number } | null = null;
  #senderReport: { middle: number; arrivedMs: number } | null = null;

  constructor({ ssrc, sequenceNumber }: RtpPacket) {
    this.ssrc = ssrc;
    this.#first = sequenceNumber;
    this.#highest = sequenceNumber;
  }

  /** Packets of the same source. */
  add({ sequenceNumber, timestamp }: RtpPacket, arrivedMs: number, clockRateHz: number): void {
    this.#received += 1;
    const step = sequenceDelta(sequenceNumber, this.#highest & 0xffff);
    if (step > 0) this.#highest += step;
    // Packets of one event or of a burst share a timestamp, so they say nothing about jitter.
    if (this.#last && timestamp !== this.#last.timestamp) {
      const transit =
        ((arrivedMs - this.#last.arrivedMs) * clockRateHz) / 1000 -
        timestampDelta(timestamp, this.#last.timestamp);
      this.#jitter += (Math.abs(transit) - this.#jitter) / 16;
    }
    this.#last = { timestamp, arrivedMs };
  }

  /** Call it when a sender report of the source has arrived. */
  reported(ntpMs: number, arrivedMs: number): void {
    this.#senderReport = { middle: ntpMiddle(ntpMs), arrivedMs };
  }

  /** Returns the report block for the time since the last one. */
  block(nowMs: number): ReportBlock {
    const expected = this.#highest - this.#first + 1;
    const newlyExpected = expected - this.#reportedExpected;
    const newlyLost = newlyExpected - (this.#received - this.#reportedReceived);
    this.#reportedExpected = expected;
    this.#reportedReceived = this.#received;
    const lost = Math.max(-MAX_LOST, Math.min(MAX_LOST, expected - this.#received));
    return {
      ssrc: this.ssrc,
      fractionLost:
        newlyExpected <= 0 || newlyLost <= 0
          ? 0
          : Math.min(255, Math.floor((newlyLost * 256) / newlyExpected)),
      lost,
      highest: this.#highest >>> 0,
      jitter: Math.min(0xffffffff, Math.round(this.#jitter)),
      lastReport: this.#senderReport?.middle ?? 0,
      delay: this.#senderReport ? Math.round((nowMs - this.#senderReport.arrivedMs) * 65.536) : 0,
    };
  }
}
