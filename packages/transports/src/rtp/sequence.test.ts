import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sequenceDelta, SequenceExtender, timestampDelta } from './sequence.ts';

describe('sequenceDelta and timestampDelta', () => {
  it.each([
    [1, 0, 1],
    [0, 0xffff, 1],
    [0xffff, 0, -1],
    [0x7fff, 0, 0x7fff],
    [0x8000, 0, -0x8000],
  ])('compute that sequence number %i is %i plus %i', (a, b, delta) => {
    expect(sequenceDelta(a, b)).toBe(delta);
  });

  it('compute timestamp differences across a wrap', () => {
    expect(timestampDelta(100, 0xffff_ff00)).toBe(356);
    expect(timestampDelta(0xffff_ff00, 100)).toBe(-356);
  });
});

describe('SequenceExtender', () => {
  it('extends numbers across any number of wraps, despite loss and reordering', () => {
    const steps = fc.array(fc.integer({ min: -50, max: 2000 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff }), steps, (first, moves) => {
        const extender = new SequenceExtender();
        let highest = first;
        expect(extender.extend(first)).toBe(first);
        for (const move of moves) {
          const truth = highest + move;
          expect(extender.extend(truth & 0xffff)).toBe(truth);
          highest = Math.max(highest, truth);
        }
        expect(extender.highest).toBe(highest);
        expect(extender.restarts).toBe(0);
      }),
    );
  });

  it('treats two consecutive packets with distant numbers as a restart, and continues after the highest', () => {
    const extender = new SequenceExtender();
    extender.extend(100);
    extender.extend(101);
    expect(extender.extend(30_000)).toBeNull();
    expect(extender.extend(102)).toBe(102);
    expect(extender.extend(30_000)).toBeNull();
    expect(extender.extend(30_001)).toBe(103);
    expect(extender.extend(30_002)).toBe(104);
    expect(extender.restarts).toBe(1);
  });

  it('treats two consecutive packets far behind the highest as a restart too', () => {
    const extender = new SequenceExtender();
    extender.extend(40_000);
    expect(extender.extend(39_899)).toBeNull();
    expect(extender.extend(39_900)).toBe(40_001);
    expect(extender.extend(39_901)).toBe(40_002);
  });

  it('starts a new cycle when it is restarted explicitly', () => {
    const extender = new SequenceExtender();
    extender.extend(65_535);
    expect(extender.restart(65_535)).toBe(65_536);
    expect(extender.extend(0)).toBe(65_537);
    expect(extender.extend(65_534)).toBe(65_535);
  });
});
