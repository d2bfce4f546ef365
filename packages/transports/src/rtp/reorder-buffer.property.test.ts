import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_CONCEALED_MS, type Playout, type RtpAudioCodec } from './playout.ts';
import { ReorderBuffer } from './reorder-buffer.ts';
import type { RtpPacket } from './rtp-packet.ts';

const MAX_WAIT_MS = 120;

/** Payloads contain their index, their duration in milliseconds, and whether they carry the previous packet. */
const CODEC: RtpAudioCodec = {
  clockRateHz: 48_000,
  durationOf: (payload) => (payload[2] ?? 0) * 48,
  carriesPrevious: (payload) => payload[3] === 1,
};

interface Sent {
  index: number;
  startMs: number;
  durationMs: number;
  /** Arrival times of its copies; empty if it is lost. */
  arrivalsMs: number[];
  isOther: boolean;
  packet: RtpPacket;
}

const packetPlan = fc.record({
  durationMs: fc.constantFrom(10, 20, 20, 20, 60),
  silenceBeforeMs: fc.constantFrom(0, 0, 0, 0, 0, 0, 40, 400),
  delivery: fc.constantFrom('arrives', 'arrives', 'arrives', 'twice', 'lost'),
  delayMs: fc.integer({ min: 0, max: 100 }),
  isOther: fc.constantFrom(false, false, false, false, false, false, false, true),
  carriesPrevious: fc.boolean(),
});

const streams = fc.record({
  plans: fc.array(packetPlan, { minLength: 1, maxLength: 150 }),
  firstSequenceNumber: fc.integer({ min: 0, max: 0xffff }),
  firstTimestamp: fc.integer({ min: 0, max: 0xffff_ffff }),
  /** Upper limit of all delays. */
  maxDelayMs: fc.constantFrom(0, 15, 100),
  isLossy: fc.boolean(),
});

type Stream = typeof streams extends fc.Arbitrary<infer T> ? T : never;

function sentBy({ plans, firstSequenceNumber, firstTimestamp, maxDelayMs, isLossy }: Stream): Sent[] {
  let mediaMs = 0;
  return plans.map((plan, index) => {
    const startMs = mediaMs + plan.silenceBeforeMs;
    const isOther = plan.isOther && index > 0;
    mediaMs = startMs + plan.durationMs;
    const delayMs = index === 0 ? 0 : Math.min(plan.delayMs, maxDelayMs);
    const isLost = isLossy && index > 0 && plan.delivery === 'lost';
    const copies = isLost ? 0 : plan.delivery === 'twice' ? 2 : 1;
    return {
      index,
      startMs,
      durationMs: plan.durationMs,
      arrivalsMs: Array.from({ length: copies }, (_, copy) => startMs + delayMs + copy * 30),
      isOther,
      packet: {
        marker: false,
        payloadType: isOther ? 110 : 111,
        sequenceNumber: (firstSequenceNumber + index) & 0xffff,
        timestamp: (firstTimestamp + startMs * 48) >>> 0,
        ssrc: 1,
        payload: Uint8Array.of(index >> 8, index & 0xff, plan.durationMs, plan.carriesPrevious ? 1 : 0),
      },
    };
  });
}

interface TimedPlayout {
  playout: Playout;
  atMs: number;
}

/** Drains the buffer as the transport does: after each packet and at each due time. */
function playoutsOf(buffer: ReorderBuffer, sent: readonly Sent[]): TimedPlayout[] {
  const arrivals = sent
    .flatMap((one) => one.arrivalsMs.map((atMs) => ({ ...one, atMs })))
    .sort((one, other) => one.atMs - other.atMs);
  const playouts: TimedPlayout[] = [];
  const drain = (atMs: number): void => {
    for (let playout = buffer.due(atMs); playout; playout = buffer.due(atMs))
      playouts.push({ playout, atMs });
  };
  const runUntil = (untilMs: number): void => {
    for (let dueMs = buffer.nextDueMs(); dueMs !== null && dueMs <= untilMs; dueMs = buffer.nextDueMs()) {
      drain(dueMs);
    }
  };
  for (const { packet, isOther, atMs } of arrivals) {
    runUntil(atMs);
    if (isOther) buffer.pushOther(packet, atMs);
    else buffer.push(packet, atMs);
    drain(atMs);
  }
  runUntil(Infinity);
  return playouts;
}

function indexOf(payload: Uint8Array): number {
  return (payload[0] ?? 0) * 256 + (payload[1] ?? 0);
}

describe('ReorderBuffer with random networks', () => {
  it('returns each packet once at its media time, and fills all the time in between once', () => {
    fc.assert(
      fc.property(streams, (stream) => {
        const sent = sentBy(stream);
        const playouts = playoutsOf(new ReorderBuffer(CODEC), sent);
        let endMs: number | null = null;
        let fillMs = 0;
        playouts.forEach(({ playout }, i) => {
          if (playout.type !== 'decode') {
            expect(playout.durationMs).toBeGreaterThan(0);
            if (playout.type === 'recover') {
              expect(playouts[i + 1]?.playout).toMatchObject({ type: 'decode', payload: playout.payload });
            }
            fillMs += playout.durationMs;
            return;
          }
          const { startMs, durationMs } = sent[indexOf(playout.payload)] ?? { startMs: -1, durationMs: -1 };
          if (endMs !== null) expect(endMs + fillMs).toBeCloseTo(startMs, 6);
          expect(playout.durationMs).toBe(durationMs);
          endMs = startMs + durationMs;
          fillMs = 0;
        });
        expect(fillMs).toBe(0);
      }),
      { numRuns: 400 },
    );
  });

  it('returns all packets that arrive in time, conceals only lost ones, and counts all packets', () => {
    fc.assert(
      fc.property(streams, (stream) => {
        const sent = sentBy(stream);
        const buffer = new ReorderBuffer(CODEC);
        const playouts = playoutsOf(buffer, sent);
        const decoded = new Set(
          playouts.flatMap(({ playout }) => (playout.type === 'decode' ? indexOf(playout.payload) : [])),
        );
        const arrived = sent.filter(({ arrivalsMs }) => arrivalsMs.length > 0);
        const { received, lost, late, duplicate, recovered, concealed } = buffer.statistics;
        const arrivals = arrived.flatMap(({ arrivalsMs }) => arrivalsMs);
        expect(received).toBe(arrivals.length);
        const taken = received - late - duplicate;
        const others = arrived.filter(({ isOther }) => isOther).length;
        expect(taken).toBeGreaterThanOrEqual(decoded.size);
        expect(taken).toBeLessThanOrEqual(decoded.size + others);
        const lastArrived = arrived.at(-1)?.index ?? 0;
        expect(taken + lost).toBe(lastArrived + 1);
        if (stream.maxDelayMs <= 15) {
          const expected = arrived.filter(({ isOther }) => !isOther).map(({ index }) => index);
          expect([...decoded]).toEqual(expected);
        }
        if (lost === 0) expect(recovered + concealed).toBe(0);
      }),
      { numRuns: 400 },
    );
  });

  it('holds no packet longer than the longest wait, and conceals no more than the maximum', () => {
    fc.assert(
      fc.property(streams, (stream) => {
        const sent = sentBy(stream);
        const playouts = playoutsOf(new ReorderBuffer(CODEC), sent);
        let madeUpMs = 0;
        for (const { playout, atMs } of playouts) {
          if (playout.type === 'conceal' || playout.type === 'recover') madeUpMs += playout.durationMs;
          if (playout.type !== 'decode') continue;
          const arrivalMs = sent[indexOf(playout.payload)]?.arrivalsMs[0] ?? -Infinity;
          expect(atMs - arrivalMs).toBeLessThanOrEqual(MAX_WAIT_MS);
          expect(madeUpMs).toBeLessThanOrEqual(MAX_CONCEALED_MS);
          madeUpMs = 0;
        }
      }),
      { numRuns: 400 },
    );
  });
});
