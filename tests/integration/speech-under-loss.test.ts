import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { measure, openRecogniser, type Measured } from '../loss/measure.ts';
import type { Repair } from '../loss/heard-through.ts';
import { sentences, type Sentence } from '../loss/speech.ts';

/** Few enough to be quick; `tests/loss/main.ts` takes more, for the figures in docs/internals/webrtc.md. */
const SENTENCES = 4;
const TIME_LIMIT_MS = 120_000;

describe('speech over a network that loses one packet in ten and delays the others by up to 100 ms', () => {
  const recogniser = openRecogniser();
  let said: Sentence[];
  let clean: Measured;

  function over(
    lossPercent: number,
    jitterMs: number,
    repair: Repair,
    recognise = recogniser.recognise,
  ): Promise<Measured> {
    const link = { lossPercent, jitterMs, delayMs: 30, keepsOrder: false };
    return measure({ link, repair }, said, recognise);
  }

  beforeAll(async () => {
    said = await sentences(SENTENCES);
    clean = await over(0, 0, 'recovery and concealment');
  }, TIME_LIMIT_MS);
  afterAll(async () => {
    await recogniser[Symbol.asyncDispose]();
  });

  it(
    'is understood as well as without: of a hundred words, eight more may be wrong',
    async () => {
      expect(clean.wordErrorPercent).toBeLessThan(25);
      const bad = await over(10, 50, 'recovery and concealment');
      expect(bad.lostPercent).toBeGreaterThan(7);
      expect(bad.recoveredPercent).toBeGreaterThan(50);
      expect(bad.wordErrorPercent - clean.wordErrorPercent).toBeLessThan(8);
      expect(bad.spectralDistanceDb - clean.spectralDistanceDb).toBeLessThan(1);
    },
    TIME_LIMIT_MS,
  );

  it('would be another sound without recovery, and another still without concealment', async () => {
    const unheard = (): Promise<string> => Promise.resolve('');
    const concealed = await over(10, 50, 'concealment', unheard);
    const silent = await over(10, 50, 'silence', unheard);
    expect(concealed.spectralDistanceDb - clean.spectralDistanceDb).toBeGreaterThan(1);
    expect(silent.spectralDistanceDb - concealed.spectralDistanceDb).toBeGreaterThan(1);
  });
});
