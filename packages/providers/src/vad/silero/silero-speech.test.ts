import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FrameChunker } from '@calls/audio/frame-chunker';
import { pinkNoise } from '@calls/audio/noise';
import { concatSamples } from '@calls/audio/pcm';
import { createResampler } from '@calls/audio/resampler';
import {
  VAD_WINDOW_MS,
  VAD_WINDOW_SAMPLES,
  type VoiceActivityDetector,
  type VoiceActivityEngine,
} from '@calls/engine-ports/voice-activity-detector';
import { silentLogger } from '@calls/foundation/logger';
import { IS_LONG_FORM } from '@calls/testkit/long-form';
import { activeExtent, type Extent } from '@calls/testkit/speech/active-extent';
import { humanVoice } from '@calls/testkit/speech/human-voice';
import { atLevel, babbleOf, silence, withNoise } from '@calls/testkit/speech/shaping';
import { speak } from '@calls/testkit/speech/speak';
import { createSileroEngine } from './silero-engine.ts';

const PAUSE_MS = 2000;
const NOISE_MS = IS_LONG_FORM ? 20_000 : 5000;
const SPEECH_LEVEL_DBFS = -26;
/** Windows without speech that end a segment; pauses between a speaker's words are shorter. */
const ENDPOINT_WINDOWS = 20;

interface Scene {
  sampleRateHz: number;
  samples: Int16Array;
  /** The extents of speech. */
  spoken: readonly Extent[];
}

/** Five utterances of two people and three synthetic voices, with silence before, between and after. */
async function composeScene(sampleRateHz: number): Promise<Scene> {
  const utterances = await Promise.all([
    humanVoice('Front_Left', sampleRateHz),
    speak({
      engine: 'flite',
      voice: 'slt',
      text: 'I would like to book a table for two, please.',
      sampleRateHz,
    }),
    speak({
      engine: 'espeak-ng',
      voice: 'en-us',
      text: 'What are your opening hours on Sunday?',
      sampleRateHz,
    }),
    speak({ engine: 'flite', voice: 'rms', text: 'No, thank you, that is all for today.', sampleRateHz }),
    humanVoice('Side_Right', sampleRateHz),
  ]);
  const pause = silence(PAUSE_MS, sampleRateHz);
  const parts: Int16Array[] = [pause];
  const spoken: Extent[] = [];
  let positionMs = PAUSE_MS;
  for (const asSpoken of utterances) {
    const utterance = atLevel(asSpoken, SPEECH_LEVEL_DBFS);
    const extent = activeExtent(utterance, sampleRateHz);
    spoken.push({ startMs: positionMs + extent.startMs, endMs: positionMs + extent.endMs });
    parts.push(utterance, pause);
    positionMs += (utterance.length * 1000) / sampleRateHz + PAUSE_MS;
  }
  return { sampleRateHz, samples: concatSamples(parts), spoken };
}

/** Processes audio as a call does: 20 ms frames at its own rate, resampled, split into windows, scored. */
async function judge(
  detector: VoiceActivityDetector,
  { samples, sampleRateHz }: { samples: Int16Array; sampleRateHz: number },
): Promise<number[]> {
  const resampler = createResampler(sampleRateHz, 16_000);
  const chunker = new FrameChunker(VAD_WINDOW_SAMPLES);
  const frameSamples = sampleRateHz / 50;
  const probabilities: number[] = [];
  for (let start = 0; start < samples.length; start += frameSamples) {
    const answers: Promise<number>[] = [];
    chunker.push(resampler.process(samples.subarray(start, start + frameSamples)), (window) => {
      answers.push(detector.push(window));
    });
    probabilities.push(...(await Promise.all(answers)));
  }
  resampler.close();
  return probabilities;
}

/** Stretches of windows at or above the threshold; shorter pauses than an endpoint don't split them. */
function segmentsOf(probabilities: readonly number[], threshold: number): Extent[] {
  const segments: { first: number; last: number }[] = [];
  probabilities.forEach((probability, window) => {
    if (probability < threshold) return;
    const current = segments.at(-1);
    if (current && window - current.last <= ENDPOINT_WINDOWS) current.last = window;
    else segments.push({ first: window, last: window });
  });
  return segments.map(({ first, last }) => ({
    startMs: first * VAD_WINDOW_MS,
    endMs: (last + 1) * VAD_WINDOW_MS,
  }));
}

/**
 * Maximum distance between a segment and the sound, measured over 38 utterances, plus a margin. The detector may start
 * early on a breath, start late on a soft onset, miss a soft last syllable in noise, and at a low threshold extend speech
 * into noise.
 */
interface Condition {
  name: string;
  snrDb: number | undefined;
  threshold: number;
  startsLateMs: number;
  endsEarlyMs: number;
  endsLateMs: number;
}

const STARTS_EARLY_MS = 200;

const CONDITIONS: readonly Condition[] = [
  { name: 'clean', snrDb: undefined, threshold: 0.1, startsLateMs: 130, endsEarlyMs: 0, endsLateMs: 200 },
  { name: 'clean', snrDb: undefined, threshold: 0.5, startsLateMs: 260, endsEarlyMs: 130, endsLateMs: 160 },
  { name: 'noise at 20 dB', snrDb: 20, threshold: 0.1, startsLateMs: 180, endsEarlyMs: 60, endsLateMs: 1000 },
  { name: 'noise at 20 dB', snrDb: 20, threshold: 0.5, startsLateMs: 260, endsEarlyMs: 200, endsLateMs: 200 },
  { name: 'noise at 10 dB', snrDb: 10, threshold: 0.3, startsLateMs: 260, endsEarlyMs: 200, endsLateMs: 500 },
  { name: 'noise at 10 dB', snrDb: 10, threshold: 0.5, startsLateMs: 260, endsEarlyMs: 200, endsLateMs: 300 },
];

function issuesOf(found: readonly Extent[], spoken: readonly Extent[], condition: Condition): string[] {
  const { name, threshold, startsLateMs, endsEarlyMs, endsLateMs } = condition;
  const where = `${name}, threshold ${threshold}`;
  if (found.length !== spoken.length)
    return [`${where}: ${found.length} segments for ${spoken.length} utterances`];
  return spoken.flatMap((utterance, i) => {
    const startMs = Math.round(found[i]!.startMs - utterance.startMs);
    const endMs = Math.round(found[i]!.endMs - utterance.endMs);
    const isRight =
      startMs >= -STARTS_EARLY_MS && startMs <= startsLateMs && endMs >= -endsEarlyMs && endMs <= endsLateMs;
    return isRight
      ? []
      : [`${where}: utterance ${i} found ${startMs} ms after its start, to ${endMs} ms after its end`];
  });
}

describe('Silero on speech', () => {
  let engine: VoiceActivityEngine;
  beforeAll(async () => {
    engine = await createSileroEngine({ log: silentLogger });
  });
  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
  });

  const judgeScene = (scene: { samples: Int16Array; sampleRateHz: number }): Promise<number[]> =>
    judge(engine.createDetector(), scene);

  it.each(IS_LONG_FORM ? [8000, 16_000, 48_000] : [8000])(
    'finds each utterance at %i Hz, clean and in noise',
    async (sampleRateHz) => {
      const scene = await composeScene(sampleRateHz);
      const judged = new Map<number | undefined, number[]>();
      const issues: string[] = [];
      for (const condition of CONDITIONS) {
        const { snrDb, threshold } = condition;
        const samples =
          snrDb === undefined ? scene.samples : withNoise(scene.samples, { snrDb, seed: 3, sampleRateHz });
        const probabilities = judged.get(snrDb) ?? (await judgeScene({ samples, sampleRateHz }));
        judged.set(snrDb, probabilities);
        issues.push(...issuesOf(segmentsOf(probabilities, threshold), scene.spoken, condition));
      }
      expect(issues).toEqual([]);
    },
  );

  it.each([
    ['digital silence', () => silence(NOISE_MS, 16_000)],
    ['a quiet room', () => pinkNoise(NOISE_MS * 16, -60, 4)],
    ['a noisy line', () => pinkNoise(NOISE_MS * 16, -35, 5)],
    ['loud noise', () => pinkNoise(NOISE_MS * 16, -20, 6)],
    [
      'a dial tone',
      () =>
        Int16Array.from(
          { length: NOISE_MS * 16 },
          (_, i) => 8000 * Math.sin((i * 2 * Math.PI * 425) / 16_000),
        ),
    ],
  ])('detects no speech in %s', async (_, make) => {
    const probabilities = await judgeScene({ samples: make(), sampleRateHz: 16_000 });
    expect(Math.max(...probabilities)).toBeLessThan(0.1);
  });

  it('detects speech in the babble of several speakers', async () => {
    const voices = await Promise.all(
      ['slt', 'rms', 'awb'].map((voice) =>
        speak({
          engine: 'flite',
          voice,
          text: 'My number is five five five, zero one two three.',
          sampleRateHz: 16_000,
        }),
      ),
    );
    const probabilities = await judgeScene({ samples: babbleOf(voices, 5000, 16_000), sampleRateHz: 16_000 });
    expect(probabilities.filter((probability) => probability > 0.5).length).toBeGreaterThan(
      probabilities.length / 2,
    );
  });
});
