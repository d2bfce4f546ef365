import { describe, expect, it } from '@jest/globals';
import {
  PREVIOUS_SOURCE_LATE_MS,
  PORT_SILENT_MS,
  PROOF_PACKETS,
  SOURCE_SILENT_MS,
  SourceLatch,
} from './source-latch.ts';

const SIGNALLED = { address: '192.0.2.10', port: 4000 };
const BEHIND_NAT = { address: '203.0.113.5', port: 61_000 };
const ATTACKER = { address: '203.0.113.66', port: 7000 };

function latch(): SourceLatch {
  const made = new SourceLatch();
  made.signalled(SIGNALLED, 0);
  return made;
}

/** Whether each of `count` consecutive packets is accepted, of which the first has sequence number `first`. */
function stream(
  source: SourceLatch,
  from: typeof SIGNALLED,
  count: number,
  nowMs = 0,
  first = 65_534,
): boolean[] {
  return Array.from({ length: count }, (_, i) =>
    source.accepts(from, { ssrc: from.port, sequenceNumber: (first + i) & 0xffff }, nowMs),
  );
}

describe('SourceLatch', () => {
  it('sends to the signalled address until another source is confirmed', () => {
    expect(new SourceLatch().target).toBeNull();
    expect(latch().target).toEqual(SIGNALLED);
  });

  it('accepts the signalled address immediately, also from another port', () => {
    expect(stream(latch(), SIGNALLED, 1)).toEqual([true]);
    const source = latch();
    const mapped = { ...SIGNALLED, port: 40_404 };
    expect(stream(source, mapped, 1)).toEqual([true]);
    expect(source.target).toEqual(mapped);
  });

  it('accepts another source after several consecutive packets, and sends to it', () => {
    const source = latch();
    const taken = stream(source, BEHIND_NAT, PROOF_PACKETS + 1);
    expect(taken).toEqual([...Array.from({ length: PROOF_PACKETS - 1 }, () => false), true, true]);
    expect(source.target).toEqual(BEHIND_NAT);
  });

  it('does not accept another source whose packets are not consecutive', () => {
    const source = latch();
    for (let i = 0; i < 50; i += 1) {
      const header = { ssrc: 1, sequenceNumber: (i * 1000) & 0xffff };
      expect(source.accepts(ATTACKER, header, i * 20)).toBe(false);
      expect(source.accepts(ATTACKER, { ...header, ssrc: i }, i * 20)).toBe(false);
    }
    expect(source.target).toEqual(SIGNALLED);
  });

  it('rejects other addresses while the source is active, and accepts a new source once it is silent', () => {
    const source = latch();
    stream(source, SIGNALLED, 1, 0);
    stream(source, SIGNALLED, 1, 1000, 1);
    expect(stream(source, ATTACKER, 20, 1000 + SOURCE_SILENT_MS - 1)).not.toContain(true);
    expect(stream(source, BEHIND_NAT, PROOF_PACKETS, 1000 + SOURCE_SILENT_MS).at(-1)).toBe(true);
    expect(stream(source, ATTACKER, 20, 1000 + SOURCE_SILENT_MS + 1)).not.toContain(true);
  });

  it('searches for the source again when another address is signalled, but not for the same address', () => {
    const source = latch();
    stream(source, BEHIND_NAT, PROOF_PACKETS);
    source.signalled(SIGNALLED, 0);
    expect(source.target).toEqual(BEHIND_NAT);
    const moved = { address: '192.0.2.99', port: 4000 };
    source.signalled(moved, 0);
    expect(source.target).toEqual(moved);
    expect(stream(source, moved, 1)).toEqual([true]);
  });

  it('follows a newly signalled port immediately, and drops late packets from the previous port', () => {
    const source = latch();
    stream(source, SIGNALLED, 10);
    const moved = { ...SIGNALLED, port: 5000 };
    source.signalled(moved, 0);
    expect(stream(source, SIGNALLED, 3, 20)).toEqual([false, false, false]);
    expect(source.target).toEqual(moved);
    expect(stream(source, moved, 1, 40)).toEqual([true]);
    expect(stream(source, SIGNALLED, 1, 60)).toEqual([false]);
  });

  it('follows a moved peer whose packets still come from the previous address, as behind a NAT', () => {
    const source = latch();
    stream(source, BEHIND_NAT, PROOF_PACKETS);
    source.signalled({ address: '192.0.2.99', port: 4000 }, 1000);
    expect(stream(source, BEHIND_NAT, 20, 1000 + PREVIOUS_SOURCE_LATE_MS - 1, 10)).not.toContain(true);
    expect(stream(source, BEHIND_NAT, PROOF_PACKETS, 1000 + PREVIOUS_SOURCE_LATE_MS, 40).at(-1)).toBe(true);
    expect(source.target).toEqual(BEHIND_NAT);
  });

  it('keeps a source that was confirmed before the first signalled address', () => {
    const source = new SourceLatch();
    source.confirmed(BEHIND_NAT);
    source.signalled(SIGNALLED, 0);
    expect(source.target).toEqual(BEHIND_NAT);
    expect(stream(source, BEHIND_NAT, 1)).toEqual([true]);
  });

  it('returns to the signalled address while another source is active', () => {
    const source = latch();
    stream(source, BEHIND_NAT, PROOF_PACKETS);
    expect(stream(source, SIGNALLED, 1)).toEqual([true]);
    expect(source.target).toEqual(SIGNALLED);
  });

  it('follows a stream that continues from another port of its address', () => {
    const source = latch();
    source.accepts(SIGNALLED, { ssrc: 7, sequenceNumber: 65_535 }, 0);
    const mapped = { ...SIGNALLED, port: 40_404 };
    expect(source.accepts(mapped, { ssrc: 7, sequenceNumber: 2 }, 60)).toBe(true);
    expect(source.target).toEqual(mapped);
    expect(source.accepts({ ...ATTACKER, port: 1 }, { ssrc: 7, sequenceNumber: 3 }, 80)).toBe(false);
  });

  it('follows a new stream from another port of its address after a short silence', () => {
    const source = latch();
    stream(source, SIGNALLED, 1, 0);
    const mapped = { ...SIGNALLED, port: 40_404 };
    expect(stream(source, mapped, 20, PORT_SILENT_MS - 1)).not.toContain(true);
    expect(stream(source, mapped, PROOF_PACKETS, PORT_SILENT_MS, 100).at(-1)).toBe(true);
  });
});
