import { describe, expect, it } from '@jest/globals';
import { samplesFromBytes } from '@calls/audio/pcm';
import fc from 'fast-check';
import { UtteranceBuffer } from './utterance-buffer.ts';

const ramp = (length: number, from = 0): Int16Array => Int16Array.from({ length }, (_, i) => from + i);

describe('UtteranceBuffer', () => {
  it('stores the first samples up to its limit and counts the rest, for any sequence of pushes', () => {
    const pushes = fc.array(fc.nat({ max: 300 }), { maxLength: 20 });
    fc.assert(
      fc.property(pushes, fc.integer({ min: 1, max: 1500 }), (lengths, max) => {
        const buffer = new UtteranceBuffer(max);
        let pushed = 0;
        for (const length of lengths) {
          buffer.push(ramp(length, pushed));
          pushed += length;
        }
        expect(buffer.lengthSamples).toBe(Math.min(pushed, max));
        expect(buffer.droppedSamples).toBe(Math.max(0, pushed - max));
        expect(samplesFromBytes(buffer.bytes(0))).toEqual(ramp(Math.min(pushed, max)));
      }),
    );
  });

  it('does not change returned bytes when more samples are pushed or it is cleared', () => {
    const buffer = new UtteranceBuffer(100_000);
    buffer.push(ramp(30_000));
    const given = buffer.bytes(0);
    buffer.push(ramp(30_000));
    buffer.clear();
    expect(samplesFromBytes(given)).toEqual(ramp(30_000));
  });

  it('copies pushed samples, and pads with silence', () => {
    const buffer = new UtteranceBuffer(10);
    const mine = Int16Array.of(1, 2, 3);
    buffer.push(mine);
    mine.fill(9);
    expect(samplesFromBytes(buffer.bytes(5))).toEqual(Int16Array.of(1, 2, 3, 0, 0));
  });
});
