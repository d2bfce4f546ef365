import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { measure, openSpeechToText, type Measured } from '../bench/packet-loss/measure.ts';
import type { Repair } from '../bench/packet-loss/send-over-lossy-link.ts';
import { sentences, type Sentence } from '../bench/packet-loss/speech.ts';

/** A small sample; `npm run bench -- packet-loss` uses more for the figures in docs/internals/webrtc.md. */
const SENTENCES = 4;
const TIME_LIMIT_MS = 300_000;

describe('speech with 10 % packet loss and up to 100 ms jitter', () => {
  const stt = openSpeechToText();
  let said: Sentence[];
  let clean: Measured;

  function over(
    lossPercent: number,
    jitterMs: number,
    repair: Repair,
    recognise = stt.recognise,
  ): Promise<Measured> {
    const link = { lossPercent, jitterMs, delayMs: 30, keepsOrder: false };
    return measure({ link, repair }, said, recognise);
  }

  beforeAll(async () => {
    said = await sentences(SENTENCES);
    clean = await over(0, 0, 'recovery and concealment');
  }, TIME_LIMIT_MS);
  afterAll(async () => {
    await stt[Symbol.asyncDispose]();
  });

  it(
    'has a word error rate at most 8 points above that without loss',
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

  it('has a smaller spectral distance with packet recovery and with concealment', async () => {
    const withoutTranscript = (): Promise<string> => Promise.resolve('');
    const concealed = await over(10, 50, 'concealment', withoutTranscript);
    const silent = await over(10, 50, 'silence', withoutTranscript);
    expect(concealed.spectralDistanceDb - clean.spectralDistanceDb).toBeGreaterThan(1);
    expect(silent.spectralDistanceDb - concealed.spectralDistanceDb).toBeGreaterThan(1);
  });
});
