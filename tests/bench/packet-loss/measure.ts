import { createMoonshine } from '@calls/providers/stt/moonshine/adapter';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { resample, withSilence } from '@calls/testkit/speech/shaping';
import { delayBehind, spectralDistanceDb } from '@calls/testkit/speech/spectral-distance';
import { wordErrorRate } from '@calls/foundation/word-error-rate';
import type { LinkConditions } from '../../support/lossy-link.ts';
import { sendOverLossyLink, type ReceivedSpeech, type Repair } from './send-over-lossy-link.ts';
import { SENTENCE_RATE_HZ, type Sentence } from './speech.ts';

const RECEIVED_RATE_HZ = 16_000;
const MAX_CODEC_DELAY_SAMPLES = 200;
const AROUND = { beforeMs: 500, afterMs: 500, sampleRateHz: RECEIVED_RATE_HZ };

export interface Case {
  link: LinkConditions;
  repair: Repair;
  repeatAfterMs?: number;
}

export interface Measured {
  /** Word error rate in percent. */
  wordErrorPercent: number;
  /** Distance between sent and received audio by `spectralDistanceDb`. */
  spectralDistanceDb: number;
  lostPercent: number;
  /** Share of lost packets that were recovered from the next packet. */
  recoveredPercent: number;
  /** Mean delay by buffering and jitter. */
  delayMs: number;
}

export type Recognise = (samples: Int16Array) => Promise<string>;

/** The embedded STT engine with a generous time limit for busy machines. */
export function openSpeechToText(): { recognise: Recognise } & AsyncDisposable {
  const engine = createMoonshine({
    clock: systemClock,
    log: silentLogger,
    timeoutMs: 120_000,
    maxWaiting: 1000,
  });
  return {
    recognise: async (samples) => {
      const stream = engine.open({ languageHint: 'en' }, new AbortController().signal);
      stream.push(withSilence(samples, AROUND));
      const { text } = await stream.finalize();
      stream.close();
      return text;
    },
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** Sends all `sentences` over the network of `testCase`, each with different losses. */
export async function measure(
  testCase: Case,
  sentences: readonly Sentence[],
  recognise: Recognise,
): Promise<Measured> {
  const all = await Promise.all(
    sentences.map(async ({ text, samples }, i) => {
      const received = await sendOverLossyLink({ ...testCase, speech: samples, seed: i + 1 });
      const words = text.split(' ').length;
      const wrongWords = wordErrorRate(text, await recognise(received.samples)) * words;
      return { words, wrongWords, received, distanceDb: distance(samples, received) };
    }),
  );
  const total = (of: (one: (typeof all)[number]) => number): number =>
    all.reduce((sum, one) => sum + of(one), 0);
  const lost = total(({ received }) => received.statistics.lost);
  const receivedPackets = total(({ received: { statistics } }) => statistics.received - statistics.late);
  return {
    wordErrorPercent: (100 * total(({ wrongWords }) => wrongWords)) / total(({ words }) => words),
    spectralDistanceDb: total(({ distanceDb }) => distanceDb) / all.length,
    lostPercent: (100 * lost) / (lost + receivedPackets),
    recoveredPercent: (100 * total(({ received }) => received.statistics.recovered)) / Math.max(1, lost),
    delayMs: total(({ received }) => received.delayMs) / all.length,
  };
}

function distance(said: Int16Array, received: ReceivedSpeech): number {
  const wanted = resample(said, SENTENCE_RATE_HZ, RECEIVED_RATE_HZ);
  const delay = delayBehind(wanted, received.samples, MAX_CODEC_DELAY_SAMPLES);
  return spectralDistanceDb(wanted, received.samples.subarray(delay), RECEIVED_RATE_HZ);
}
