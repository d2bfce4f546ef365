import { describe, expect, it } from '@jest/globals';
import { FrameRing, MAX_FRAME_BYTES } from './frame-ring.ts';

/** Both sides of one ring, as in two threads. */
function pair() {
  const writer = new FrameRing();
  const reader = new FrameRing(writer.buffer);
  const take = (): string | null => {
    let taken: string | null = null;
    const use = (payload: Uint8Array, type: number): void => void (taken = `${type}: ${payload.join()}`);
    return reader.take(use) ? taken : null;
  };
  return { writer, reader, take };
}

describe('FrameRing', () => {
  it('passes frames in order across many wraps', () => {
    const { writer, take } = pair();
    for (let i = 0; i < 500; i += 1) {
      expect(writer.push(Uint8Array.of(i & 0xff, 2), 8)).toBe(true);
      expect(writer.push(new Uint8Array(0), 0)).toBe(true);
      expect(writer.waiting).toBe(2);
      expect([take(), take(), take()]).toEqual([`8: ${i & 0xff},2`, '0: ', null]);
    }
  });

  it('drops frames that do not fit, and throws for a frame that is too large', () => {
    const { writer, take } = pair();
    const pushed = Array.from({ length: 100 }, (_, i) => writer.push(Uint8Array.of(i), 0));
    expect(pushed.filter(Boolean)).toHaveLength(64);
    expect([take(), writer.waiting]).toEqual(['0: 0', 63]);
    expect(() => writer.push(new Uint8Array(MAX_FRAME_BYTES + 1), 0)).toThrow(RangeError);
    expect(writer.push(new Uint8Array(MAX_FRAME_BYTES), 0)).toBe(true);
  });

  it('discards pending frames when the writer or the reader clears it', () => {
    const { writer, reader, take } = pair();
    for (const byte of [1, 2, 3]) writer.push(Uint8Array.of(byte), 0);
    expect(take()).toBe('0: 1');
    writer.clear();
    expect(writer.waiting).toBe(0);
    writer.push(Uint8Array.of(4), 0);
    expect([writer.waiting, take(), take()]).toEqual([1, '0: 4', null]);
    writer.push(Uint8Array.of(5), 0);
    reader.discard();
    expect([writer.waiting, take()]).toEqual([0, null]);
  });

  it('reports the tick of the last sent frame and the dropped packets', () => {
    const { writer, reader } = pair();
    expect(writer.lastTick).toBeNull();
    reader.sentIn(0);
    expect(writer.lastTick).toBe(0);
    for (const what of ['stray', 'stray', 'malformed'] as const) reader.count(what);
    expect(writer.dropped).toEqual({ malformed: 1, stray: 2, unauthenticated: 0 });
  });
});
