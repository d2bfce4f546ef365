import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RtpPacket } from './rtp-packet.ts';
import { TelephoneEventReader, telephoneEventPackets } from './telephone-event.ts';

const CLOCK_RATE_HZ = 48_000;
const KEYS = Array.from('0123456789*#ABCD');

function pressed(digit: string, timestamp: number, durationMs = 100): RtpPacket[] {
  const options = { digit, durationMs, intervalMs: 20, clockRateHz: CLOCK_RATE_HZ };
  return telephoneEventPackets(options).map(({ marker, payload }, i) => ({
    marker,
    payloadType: 110,
    sequenceNumber: i,
    timestamp: timestamp >>> 0,
    ssrc: 7,
    payload,
  }));
}

function read(packets: readonly RtpPacket[]): string {
  const reader = new TelephoneEventReader(CLOCK_RATE_HZ);
  return packets.map((packet) => reader.push(packet) ?? '').join('');
}

describe('telephone event', () => {
  it('is sent with a growing duration and three end packets', () => {
    const packets = telephoneEventPackets({
      digit: '#',
      durationMs: 50,
      intervalMs: 20,
      clockRateHz: 8000,
    });
    expect(packets.map(({ atMs, marker }) => [atMs, marker])).toEqual([
      [20, true],
      [40, false],
      [50, false],
      [70, false],
      [90, false],
    ]);
    expect(packets.map(({ payload }) => Buffer.from(payload).toString('hex'))).toEqual([
      '0b0a00a0',
      '0b0a0140',
      '0b8a0190',
      '0b8a0190',
      '0b8a0190',
    ]);
  });

  it('is read once when its packets are lost, repeated, reordered or without a marker', () => {
    const presses = fc.array(
      fc.record({
        digit: fc.constantFrom(...KEYS),
        // Which of its packets arrive, in order of arrival; at least one.
        arriving: fc.array(fc.nat(100), { minLength: 1, maxLength: 12 }),
        pauseMs: fc.integer({ min: 40, max: 3000 }),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(presses, fc.integer({ min: 0, max: 0xffff_ffff }), (all, firstTimestamp) => {
        let timestamp = firstTimestamp;
        const arrived = all.flatMap(({ digit, arriving, pauseMs }) => {
          const packets = pressed(digit, timestamp);
          timestamp += ((100 + pauseMs) * CLOCK_RATE_HZ) / 1000;
          return arriving.flatMap((i) => packets[i % packets.length] ?? []);
        });
        const unmarked = arrived.map((packet) => ({ ...packet, marker: false }));
        expect(read(unmarked)).toBe(all.map(({ digit }) => digit).join(''));
      }),
    );
  });

  it('is not read again when its end is repeated after the next digit', () => {
    const first = pressed('1', 1000);
    const second = pressed('2', 10_000);
    expect(read([...first.slice(0, -1), ...second, ...first.slice(-1), ...second.slice(-1)])).toBe('12');
  });

  it('is one key press when it is held for several segments', () => {
    const segment = (timestamp: number): RtpPacket => ({
      marker: false,
      payloadType: 110,
      sequenceNumber: 0,
      timestamp,
      ssrc: 7,
      payload: Uint8Array.of(5, 10, 0xff, 0xff),
    });
    const last = pressed('5', 1000 + 2 * 0xffff).map((packet) => ({ ...packet, marker: false }));
    expect(read([segment(1000), segment(1000 + 0xffff), ...last])).toBe('5');
  });

  it.each([
    ['each of its packets', 0],
    ['its repeated end packets', 5],
  ])('is one key press when %s have timestamps of their own', (_, from) => {
    const own = (start: number): RtpPacket[] =>
      pressed('5', start).map((packet, i) => ({
        ...packet,
        timestamp: start + Math.max(0, i - from) * ((20 * CLOCK_RATE_HZ) / 1000),
      }));
    expect(read([...own(1000), ...own(1000 + CLOCK_RATE_HZ / 2)])).toBe('55');
  });

  it('is another key press soon after the previous one ended', () => {
    const next = pressed('5', 1000 + (140 * CLOCK_RATE_HZ) / 1000);
    expect(read([...pressed('5', 1000), ...next.map((packet) => ({ ...packet, marker: false }))])).toBe('55');
  });

  it('is another key press when the previous one ended or the source restarted', () => {
    expect(read([...pressed('5', 1000), ...pressed('5', 1000 + 0xffff)])).toBe('55');
    expect(read([...pressed('5', 4_000_000), ...pressed('6', 10)])).toBe('56');
    const other = pressed('5', 1000).map((packet) => ({ ...packet, ssrc: 8 }));
    expect(read([...pressed('5', 1000), ...other])).toBe('55');
  });

  it('is ignored when it is not a DTMF digit or is truncated', () => {
    const packet = { marker: true, payloadType: 110, sequenceNumber: 0, timestamp: 0, ssrc: 7 };
    const flash = { ...packet, payload: Uint8Array.of(16, 10, 0, 160) };
    const cut = { ...packet, payload: Uint8Array.of(1, 10, 0) };
    expect(read([flash, cut])).toBe('');
  });

  it.each(['', 'x', '12'])('is not created for the invalid digit %j', (digit) => {
    const options = { digit, durationMs: 100, intervalMs: 20, clockRateHz: 8000 };
    expect(() => telephoneEventPackets(options)).toThrow(RangeError);
  });
});
