import { describe, expect, it } from '@jest/globals';
import { OPUS } from './opus-payload.ts';
import type { Playout } from './playout.ts';
import { ReorderBuffer } from './reorder-buffer.ts';
import type { RtpPacket } from './rtp-packet.ts';

const FRAME = 960;
/** First byte of 20 ms Opus packets in SILK wideband. The first byte of their frame has the redundancy flag. */
const SILK_20_MS = 0x48;
const REDUNDANT = 0x40;

function packet(n: number, fields: Partial<RtpPacket> & { redundant?: boolean } = {}): RtpPacket {
  const { redundant = false, ...rest } = fields;
  return {
    marker: false,
    payloadType: 111,
    sequenceNumber: (65_530 + n) & 0xffff,
    timestamp: (0xffff_f000 + n * FRAME) >>> 0,
    ssrc: 1,
    payload: Uint8Array.of(SILK_20_MS, redundant ? REDUNDANT : 0, n & 0xff),
    ...rest,
  };
}

/** `decode 3` for the payload of packet 3, `conceal 40ms` and the like. */
function said(playout: Playout): string {
  const which = 'payload' in playout ? ` ${playout.payload[2]}` : '';
  const length = playout.type === 'decode' && playout.durationMs === 20 ? '' : ` ${playout.durationMs}ms`;
  return `${playout.type}${which}${length}`;
}

function drained(buffer: ReorderBuffer, nowMs: number): string[] {
  const all: string[] = [];
  for (let next = buffer.due(nowMs); next; next = buffer.due(nowMs)) all.push(said(next));
  return all;
}

function pushed(buffer: ReorderBuffer, numbers: readonly number[], nowMs: number): string[] {
  for (const n of numbers) buffer.push(packet(n), nowMs);
  return drained(buffer, nowMs);
}

describe('ReorderBuffer', () => {
  it('returns packets in order without delay', () => {
    const buffer = new ReorderBuffer(OPUS);
    expect(pushed(buffer, [0], 0)).toEqual(['decode 0']);
    expect(pushed(buffer, [1, 2], 20)).toEqual(['decode 1', 'decode 2']);
    expect(buffer.nextDueMs()).toBeNull();
  });

  it('waits for a missing packet for a limited time', () => {
    const buffer = new ReorderBuffer(OPUS);
    pushed(buffer, [0], 0);
    expect(pushed(buffer, [2], 20)).toEqual([]);
    expect(buffer.nextDueMs()).toBe(20 + buffer.statistics.waitMs);
    expect(pushed(buffer, [3], 40)).toEqual([]);
    expect(pushed(buffer, [1], 45)).toEqual(['decode 1', 'decode 2', 'decode 3']);
    expect(buffer.statistics).toMatchObject({ received: 4, lost: 0, late: 0 });
  });

  it('recovers the last lost packet from its successor, and conceals the others', () => {
    const buffer = new ReorderBuffer(OPUS);
    pushed(buffer, [0], 0);
    buffer.push(packet(4, { redundant: true }), 80);
    const dueMs = buffer.nextDueMs() ?? 0;
    expect(drained(buffer, dueMs - 1)).toEqual([]);
    expect(drained(buffer, dueMs)).toEqual(['conceal 40ms', 'recover 4 20ms', 'decode 4']);
    expect(buffer.statistics).toMatchObject({ lost: 3, recovered: 1, concealed: 2 });
  });

  it('only conceals a lost packet when its successor carries no FEC', () => {
    const buffer = new ReorderBuffer(OPUS);
    pushed(buffer, [0, 2], 0);
    expect(drained(buffer, 200)).toEqual(['conceal 20ms', 'decode 2']);
    expect(buffer.statistics).toMatchObject({ lost: 1, recovered: 0, concealed: 1 });
  });

  it('replaces losses that are too long for concealment with silence', () => {
    const buffer = new ReorderBuffer(OPUS);
    pushed(buffer, [0], 0);
    buffer.push(packet(21, { redundant: true }), 420);
    expect(drained(buffer, 600)).toEqual(['conceal 100ms', 'gap 280ms', 'recover 21 20ms', 'decode 21']);
    expect(buffer.statistics).toMatchObject({ lost: 20, recovered: 1, concealed: 5 });
  });

  it('distinguishes silence that was not sent from loss', () => {
    const buffer = new ReorderBuffer(OPUS);
    pushed(buffer, [0], 0);
    const later = { timestamp: packet(21).timestamp };
    buffer.push(packet(1, later), 420);
    expect(drained(buffer, 420)).toEqual(['gap 400ms', 'decode 1']);
    expect(buffer.statistics.lost).toBe(0);
    buffer.push(packet(3, { timestamp: packet(33).timestamp, redundant: true }), 660);
    expect(drained(buffer, 800)).toEqual(['gap 200ms', 'recover 3 20ms', 'decode 3']);
    expect(buffer.statistics.lost).toBe(1);
  });

  it('counts packets of other payload types as received, and their time as silence', () => {
    const buffer = new ReorderBuffer(OPUS);
    pushed(buffer, [0], 0);
    for (const n of [1, 2]) buffer.pushOther(packet(n, { payloadType: 110 }), n * 20);
    expect(drained(buffer, 40)).toEqual([]);
    expect(pushed(buffer, [3], 60)).toEqual(['gap 40ms', 'decode 3']);
    expect(buffer.statistics.lost).toBe(0);
  });

  it('drops and counts packets that arrive twice or too late', () => {
    const buffer = new ReorderBuffer(OPUS);
    pushed(buffer, [0, 0, 2], 0);
    buffer.push(packet(2), 0);
    expect(drained(buffer, 200)).toEqual(['conceal 20ms', 'decode 2']);
    expect(pushed(buffer, [1, 1, 2], 201)).toEqual([]);
    expect(buffer.statistics).toMatchObject({ received: 7, lost: 1, late: 1, duplicate: 4 });
  });

  it('counts a packet with an unreadable payload as lost', () => {
    const buffer = new ReorderBuffer(OPUS);
    pushed(buffer, [0], 0);
    buffer.push(packet(1, { payload: new Uint8Array(0) }), 20);
    pushed(buffer, [2], 40);
    expect(drained(buffer, 200)).toEqual(['conceal 20ms', 'decode 2']);
    expect(buffer.statistics).toMatchObject({ malformed: 1, lost: 1 });
  });

  it('adapts its wait to how often missing packets still arrive', () => {
    const hopeless = new ReorderBuffer(OPUS);
    for (let n = 0; n < 300; n += 1) {
      if (n % 3 !== 1) hopeless.push(packet(n), n * 20);
      drained(hopeless, n * 20);
    }
    expect(hopeless.statistics.waitMs).toBe(20);

    const retransmitted = new ReorderBuffer(OPUS);
    for (let n = 0; n < 300; n += 1) {
      if (n % 10 !== 1) retransmitted.push(packet(n), n * 20);
      if (n % 10 === 6) retransmitted.push(packet(n - 5), n * 20);
      drained(retransmitted, n * 20);
    }
    expect(retransmitted.statistics.waitMs).toBeGreaterThan(80);
    expect(retransmitted.statistics.waitMs).toBeLessThanOrEqual(120);
    expect(retransmitted.statistics.lost).toBeLessThan(3);
  });

  it('measures jitter as defined in RFC 3550', () => {
    const buffer = new ReorderBuffer(OPUS);
    for (let n = 0; n < 500; n += 1) {
      buffer.push(packet(n), n * 20 + (n % 2) * 16);
      drained(buffer, n * 20);
    }
    expect(buffer.statistics.jitterMs).toBeCloseTo(16, 1);
  });

  it('continues after the source restarts or another source replaces it', () => {
    const buffer = new ReorderBuffer(OPUS);
    pushed(buffer, [0, 1], 0);
    expect(pushed(buffer, [20_000], 40)).toEqual([]);
    expect(pushed(buffer, [20_001, 20_002], 60)).toEqual(['decode 33', 'decode 34']);
    buffer.push(packet(5, { ssrc: 2 }), 80);
    expect(drained(buffer, 80)).toEqual(['decode 5']);
    expect(buffer.statistics.lost).toBe(0);
  });

  it('does not wait for a gap that exceeds its capacity', () => {
    const buffer = new ReorderBuffer(OPUS);
    pushed(buffer, [0, 2], 0);
    expect(pushed(buffer, [1000], 20_000)).toEqual([
      'conceal 20ms',
      'decode 2',
      'conceal 120ms',
      'gap 19820ms',
      'decode 232',
    ]);
    expect(pushed(buffer, [999, 1001], 20_020)).toEqual(['decode 233']);
    expect(buffer.statistics).toMatchObject({ lost: 1 + 997, late: 1 });
  });

  it('treats a jump of the timestamps alone as a new start', () => {
    const buffer = new ReorderBuffer(OPUS);
    pushed(buffer, [0], 0);
    buffer.push(packet(1, { timestamp: 0x8000_0000 }), 20);
    buffer.push(packet(2, { timestamp: 5 }), 40);
    expect(drained(buffer, 40)).toEqual(['decode 1', 'decode 2']);
  });

  it('holds no more than its capacity when it is not drained', () => {
    const buffer = new ReorderBuffer(OPUS);
    pushed(buffer, [0], 0);
    for (let n = 2; n < 1000; n += 1) buffer.push(packet(n), 1);
    const all = drained(buffer, 1);
    expect(all.filter((text) => text.startsWith('decode'))).toHaveLength(256);
    expect(buffer.statistics.lost).toBe(999 - 256);
    expect(all.slice(0, 2)).toEqual(['conceal 120ms', `gap ${(999 - 256) * 20 - 120}ms`]);
  });
});
