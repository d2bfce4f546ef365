import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  afterFinalize,
  afterFlush,
  afterResult,
  afterSending,
  isFlushed,
  NOTHING_SENT,
  flushLimitMs,
  type FlushState,
} from './flush.ts';

const final = (endSamples: number, isFromFinalize = false) => ({
  endSamples,
  text: '',
  isFinal: true,
  isSettled: true,
  isFromFinalize,
});

const finalizedAt = (samples: number, state: FlushState = NOTHING_SENT): FlushState =>
  afterFinalize(afterSending(state, samples - state.sentSamples));

describe('Finalize message', () => {
  it('is complete when its result arrives, even when that ends before the last samples', () => {
    const { state, flushed } = afterResult(finalizedAt(16_000), final(12_000, true));
    expect(flushed).toBe(true);
    expect(isFlushed(state)).toBe(true);
    expect(isFlushed(afterSending(state, 1))).toBe(false);
  });

  it('is complete when a settled result reaches its position without a Finalize result', () => {
    expect(afterResult(finalizedAt(16_000), final(15_600)).flushed).toBe(true);
    expect(afterResult(finalizedAt(16_000), final(12_000)).flushed).toBe(false);
    expect(afterResult(finalizedAt(16_000), { ...final(16_000), isSettled: false }).flushed).toBe(false);
  });

  it('is not completed by the result of an earlier Finalize', () => {
    const twice = finalizedAt(18_000, finalizedAt(16_000));
    const first = afterResult(twice, final(16_000, true));
    expect(first.flushed).toBe(false);
    expect(flushLimitMs(first.state)).toBe(300);
    expect(afterResult(first.state, final(17_000, true)).flushed).toBe(true);
  });

  it('is completed by the position of its result when an earlier Finalize never receives one', () => {
    const withoutResponse = afterFlush(finalizedAt(1000));
    expect(isFlushed(withoutResponse)).toBe(true);
    const later = finalizedAt(48_000, withoutResponse);
    expect(afterResult(later, final(1000, true)).flushed).toBe(false);
    expect(afterResult(finalizedAt(48_000, later), final(48_000, true)).flushed).toBe(true);
  });

  it('waits only a limited time for its result when little audio is left to transcribe', () => {
    const covered = afterResult(afterSending(NOTHING_SENT, 10_000), final(10_000)).state;
    expect(flushLimitMs(finalizedAt(12_000, covered))).toBe(300);
    expect(flushLimitMs(finalizedAt(20_000, covered))).toBe(1000);
    expect(flushLimitMs(finalizedAt(28_000, covered))).toBeNull();
    expect(flushLimitMs(afterSending(covered, 1000))).toBeNull();
  });

  it('is completed once by a provider that responds in order, or only the last of several pending ones', () => {
    const finalizes = fc.array(fc.integer({ min: 8000, max: 80_000 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(finalizes, fc.boolean(), (pieces, allSentFirst) => {
        const places = pieces.map((_, i) => pieces.slice(0, i + 1).reduce((sum, piece) => sum + piece, 0));
        const done: number[] = [];
        let state = NOTHING_SENT;
        const answer = (place: number): void => {
          const { state: next, flushed } = afterResult(state, final(place, true));
          if (flushed) done.push(place);
          state = next;
        };
        for (const place of places) {
          state = finalizedAt(place, state);
          if (!allSentFirst) answer(place);
        }
        if (allSentFirst) places.forEach(answer);
        expect(done).toEqual(allSentFirst ? places.slice(-1) : places);
        expect(isFlushed(state)).toBe(true);
      }),
    );
  });
});
