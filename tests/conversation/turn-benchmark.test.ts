import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@calls/foundation/logger';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { DETECTORS, MODEL_DETECTOR, type Detector } from '../bench/turns/detectors.ts';
import type { Backgrounds } from '../bench/turns/corpus/channels.ts';
import { Draws, pauseDurationMs } from '../bench/turns/corpus/random.ts';
import { audioOf, type SpokenPart } from '../bench/turns/corpus/turn-case.ts';
import type { Turn } from '../bench/turns/corpus/turn.ts';
import { cutShareAt, latencyAt } from '../bench/turns/metrics/curve.ts';
import { estimate } from '../bench/turns/metrics/bootstrap.ts';
import { outcomeOf } from '../bench/turns/metrics/outcome.ts';
import { playTurn, type Decision } from '../bench/turns/play/play-turn.ts';
import { windowScores } from '../bench/turns/play/window-scores.ts';
import { levelsOf } from '../bench/turns/score-cases.ts';
import { RATE_HZ, readSpeech } from '../bench/turns/recordings/read-recording.ts';
import type { Recording, Speaker } from '../bench/turns/recordings/recording.ts';
import { speechExtent, speechExtents } from '../bench/turns/recordings/speech-extents.ts';

const PARTS: readonly SpokenPart[] = [
  { startMs: 320, endMs: 960, text: 'I would like to', pause: { kind: 'phrase', durationMs: 640 } },
  { startMs: 1600, endMs: 2240, text: 'book a table.', pause: null },
];
/** Speech probabilities of 32 ms windows, which match the parts exactly. */
const PROBABILITIES = Float32Array.from({ length: 150 }, (_, window) =>
  PARTS.some(({ startMs, endMs }) => window * 32 >= startMs && window * 32 < endMs) ? 0.9 : 0,
);

const detector = (name: string): Detector => {
  const found = [...DETECTORS, MODEL_DETECTOR].find((each) => each.name === name);
  if (!found) throw new Error(`no detector "${name}"`);
  return found;
};
const decisions = (name: string, delayMs: number): number[] => played(name, delayMs).map(({ atMs }) => atMs);
const played = (name: string, delayMs: number, completions: Float32Array | null = null): Decision[] =>
  playTurn(
    { language: 'en', parts: PARTS, probabilities: PROBABILITIES, levels: null, completions },
    detector(name).settings(delayMs),
  );

describe('turn benchmark', () => {
  it('ends the turn by silence alone, in a pause and at the end', () => {
    expect(decisions('silence', 384)).toEqual([960 + 384, 2240 + 384]);
    expect(decisions('silence', 704)).toEqual([2240 + 704]);
  });

  it('waits for speech-to-text when its latency exceeds the delay', () => {
    expect(decisions('silence', 32)).toEqual([960 + 32 + 120, 2240 + 32 + 120]);
  });

  it('computes when the agent becomes audible: after the latency of the engines from the pause on', () => {
    const pausedMs = 960 + 32;
    expect(played('silence', 384)[0]).toEqual({ atMs: 960 + 384, audibleMs: pausedMs + 120 + 250 + 120 });
    expect(played('silence', 608)[0]).toEqual({ atMs: 960 + 608, audibleMs: 960 + 608 });
  });

  it('ends the turn later with the heuristic when the words do not end a sentence', () => {
    expect(decisions('words', 384)).toEqual([2240 + 384]);
  });

  it('ends the turn earlier if it sounds complete, and later if it does not', () => {
    // Completion probabilities in the pause and at the end of the turn.
    const completions = (inPause: number, atEnd: number): Float32Array =>
      PROBABILITIES.map((_, window) => (window * 32 < 1600 ? inPause : atEnd));
    const decidedMs = (made: Float32Array): number[] =>
      played('words, model', 384, made).map(({ atMs }) => atMs);
    // "I would like to": the words alone wait for 1.2 s longer.
    expect(decidedMs(completions(0.5, 1))).toEqual([2240 + 192]);
    expect(decidedMs(completions(1, 0.5))).toEqual([960 + 384, 2240 + 384]);
    expect(decidedMs(completions(0.5, 0.25))).toEqual([2240 + 384 + 600]);
  });

  it('counts cut pauses and the latency at the end', () => {
    const pause = { kind: 'phrase', durationMs: 640 };
    const at = (atMs: number, audibleMs = atMs): Decision => ({ atMs, audibleMs });
    expect(outcomeOf(PARTS, [at(1344), at(2624)])).toEqual({
      pauses: [{ ...pause, isCut: true, isAudible: true }],
      latencyMs: 384,
      isMissed: false,
      cutsInSpeech: 0,
    });
    // The user continues at 1600.
    expect(outcomeOf(PARTS, [at(1344, 1600), at(2624)]).pauses).toEqual([
      { ...pause, isCut: true, isAudible: false },
    ]);
    expect(outcomeOf(PARTS, [at(500)])).toEqual({
      pauses: [{ ...pause, isCut: false, isAudible: false }],
      latencyMs: 3000,
      isMissed: true,
      cutsInSpeech: 1,
    });
    // A decision shortly before the labelled end counts, as the last sounds may be faint.
    expect(outcomeOf(PARTS, [at(2200)])).toMatchObject({ pauses: [{ isCut: false }], latencyMs: -40 });
  });

  it('interpolates between operating points', () => {
    const curve = [
      { latencyMs: 200, cutShare: 0.8 },
      { latencyMs: 400, cutShare: 0.4 },
      { latencyMs: 1000, cutShare: 0.1 },
    ];
    expect(cutShareAt(curve, 300)).toBeCloseTo(0.6);
    expect(latencyAt(curve, 0.25)).toBeCloseTo(700);
    expect(cutShareAt(curve, 100)).toBeNaN();
    expect(latencyAt(curve, 0.05)).toBeNaN();
  });

  it('computes reproducible confidence intervals that contain the value', () => {
    const mean = (weights: Uint16Array): number =>
      weights.reduce((sum, weight, i) => sum + weight * i, 0) /
      weights.reduce((sum, weight) => sum + weight, 0);
    const { value, low, high } = estimate(101, mean);
    expect(value).toBe(50);
    expect(low).toBeGreaterThan(40);
    expect(low).toBeLessThan(50);
    expect(high).toBeGreaterThan(50);
    expect(high).toBeLessThan(60);
    expect(estimate(101, mean)).toEqual({ value, low, high });
  });

  it('draws pauses of 200 ms to 2 s, identical for the same seed', () => {
    const draw = (seed: number): number[] => {
      const draws = new Draws(seed, 'pauses');
      return Array.from({ length: 2000 }, () => pauseDurationMs(draws));
    };
    const pauses = draw(1);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(200);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(2000);
    const longer = (ms: number): number => pauses.filter((each) => each > ms).length / pauses.length;
    expect(longer(300)).toBeCloseTo(0.74, 1);
    expect(longer(600)).toBeCloseTo(0.29, 1);
    expect(draw(1)).toEqual(pauses);
    expect(draw(2)).not.toEqual(pauses);
  });

  it('finds the extents of speech', () => {
    const tone = (ms: number, amplitude: number): Int16Array =>
      Int16Array.from({ length: ms * 16 }, (_, i) => amplitude * Math.sin(i / 3));
    const samples = Int16Array.from([
      ...tone(100, 0),
      ...tone(300, 8000),
      ...tone(150, 100),
      ...tone(200, 6000),
      ...tone(200, 0),
      // A click.
      ...tone(20, 8000),
      ...tone(100, 0),
    ]);
    expect(speechExtents(samples, RATE_HZ, { floorDb: 25, minPauseMs: 100 })).toEqual([
      { startMs: 100, endMs: 400 },
      { startMs: 550, endMs: 750 },
    ]);
    expect(speechExtent(samples, RATE_HZ, 25)).toEqual({ startMs: 100, endMs: 750 });
  });
});

const SPEAKER: Speaker = { id: 'en-test', person: 'test', language: 'en', set: 'tuning', floorDb: 25 };
const RECORDINGS: readonly Recording[] = ['Front_Left', 'Side_Right'].map((name) => ({
  name,
  speaker: SPEAKER,
  text: name.replace('_', ' '),
  path: `/usr/share/sounds/alsa/${name}.wav`,
}));
const BACKGROUNDS: Backgrounds = {
  babble: new Int16Array(RATE_HZ),
  music: new Int16Array(RATE_HZ),
  speaker: new Int16Array(RATE_HZ),
};

describe('turn benchmark case', () => {
  const turn = async (): Promise<Turn> => ({
    id: 'en-test-001',
    speaker: SPEAKER,
    parts: await Promise.all(
      RECORDINGS.map(async (recording, i) => ({
        recording,
        extent: speechExtent(await readSpeech(recording), RATE_HZ, SPEAKER.floorDb),
        text: recording.text,
        pause: i === 0 ? { kind: 'phrase' as const, durationMs: 1000 } : null,
      })),
    ),
  });

  it.each(['clean', 'phone-loss', 'noise-10'] as const)(
    'has reproducible audio with speech at its labels: %s',
    async (channel) => {
      const made = { id: `en-test-001-${channel}`, turn: await turn(), channel };
      const { samples, parts } = await audioOf(made, BACKGROUNDS, 1);
      expect(await audioOf(made, BACKGROUNDS, 1)).toEqual({ samples, parts });
      expect((await audioOf(made, BACKGROUNDS, 2)).samples).not.toEqual(samples);
      const long = parts.findIndex(({ pause }) => pause?.kind === 'phrase');
      expect((parts[long + 1]?.startMs ?? 0) - (parts[long]?.endMs ?? 0)).toBe(1000);

      await using engine = await createSileroEngine({ log: silentLogger });
      const probabilities = await windowScores(engine, samples);
      const decidedMs = playTurn(
        { language: 'en', parts, probabilities, levels: levelsOf(samples), completions: null },
        detector('silence').settings(384),
      );
      const { pauses, latencyMs } = outcomeOf(parts, decidedMs);
      expect(pauses.filter(({ isCut }) => isCut)).toEqual([
        { kind: 'phrase', durationMs: 1000, isCut: true, isAudible: true },
      ]);
      expect(Math.abs(latencyMs - 384)).toBeLessThan(channel === 'noise-10' ? 150 : 40);
    },
  );
});
