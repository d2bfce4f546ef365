import { afterAll, describe, expect, it } from '@jest/globals';
import type { AnsweredBy } from '@calls/api-contract/rest/enums';
import { initialAnswerState, stepAnswer } from '@calls/conversation/answering-machine/answer-classifier';
import { BeepDetector } from '@calls/conversation/answering-machine/beep-detector';
import { VAD_WINDOW_MS, VAD_WINDOW_SAMPLES } from '@calls/engine-ports/voice-activity-detector';
import { silentLogger } from '@calls/foundation/logger';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { IS_LONG_FORM } from '@calls/testkit/long-form';
import { asCalled, greetings, PICK_UP_MS, type Greeting } from '../support/telephony/greetings.ts';

const SNRS_DB = IS_LONG_FORM ? [null, 30, 20, 15, 10] : [null, 20, 10];
/** The short form plays one greeting in three, each with one of the noises. */
const GREETING_STEP = IS_LONG_FORM ? 1 : 3;
const TIME_LIMIT_MS = 300_000;

const engine = await createSileroEngine({ log: silentLogger });
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
});

interface Detected {
  greeting: Greeting;
  snrDb: number | null;
  first: AnsweredBy | null;
  /** Time from the beginning of the greeting to the first result. */
  afterMs: number;
  last: AnsweredBy | null;
  beeps: number;
}

/** Runs the detection on the audio alone, without transcripts. */
async function detect(greeting: Greeting, snrDb: number | null, seed: number): Promise<Detected> {
  const samples = asCalled(await greeting.load(), snrDb, seed);
  const detector = engine.createDetector();
  let state = initialAnswerState();
  let atMs = 0;
  let beeps = 0;
  let first: Pick<Detected, 'first' | 'afterMs'> | null = null;
  const beepDetector = new BeepDetector(() => {
    beeps += 1;
    state = stepAnswer(state, { type: 'beep', atMs });
  });
  for (let from = 0; from + VAD_WINDOW_SAMPLES <= samples.length; from += VAD_WINDOW_SAMPLES) {
    const window = samples.subarray(from, from + VAD_WINDOW_SAMPLES);
    atMs += VAD_WINDOW_MS;
    beepDetector.push(window);
    state = stepAnswer(state, { type: 'window', probability: await detector.push(window), atMs });
    if (state.answer) first ??= { first: state.answer.answeredBy, afterMs: atMs - PICK_UP_MS };
  }
  detector.close();
  const last = state.answer?.answeredBy ?? null;
  return { greeting, snrDb, ...(first ?? { first: null, afterMs: atMs }), last, beeps };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const isRight = ({ greeting: { expected }, first, last }: Detected): boolean =>
  first === expected && last === expected;

describe('answering machine detection for recorded greetings in five languages', () => {
  it(
    'is correct for 98 %, detects half of the machines within 2 s, and counts the beeps',
    async () => {
      const detected: Detected[] = [];
      for (const [index, greeting] of greetings().entries()) {
        if (index % GREETING_STEP !== 0) continue;
        const chosen = IS_LONG_FORM ? SNRS_DB : [SNRS_DB[(index / GREETING_STEP) % SNRS_DB.length] ?? null];
        for (const snrDb of chosen) detected.push(await detect(greeting, snrDb, index + 1));
      }
      const wrong = detected.filter((each) => !isRight(each));
      const machines = detected.filter(({ greeting }) => greeting.expected === 'machine');
      const times = machines.map(({ afterMs }) => afterMs);
      const figures = {
        greetings: detected.length,
        rightPercent: (100 * (detected.length - wrong.length)) / detected.length,
        machineMedianMs: quantile(times, 0.5),
        machine95Ms: quantile(times, 0.95),
        humanMedianMs: quantile(
          detected.filter(({ greeting }) => greeting.expected === 'human').map(({ afterMs }) => afterMs),
          0.5,
        ),
        wrongBeeps: detected.filter(({ greeting, beeps }) => beeps !== greeting.beeps).length,
      };
      process.stdout.write(`answering machine detection: ${JSON.stringify(figures)}\n`);
      const described = wrong.map(
        ({ greeting: { name }, snrDb, first, last }) => `${name} (${snrDb ?? 'no'} dB): ${first}, ${last}`,
      );
      if (figures.rightPercent < 98) expect(described).toEqual([]);
      expect(figures.machineMedianMs).toBeLessThanOrEqual(2000);
      expect(figures.wrongBeeps / detected.length).toBeLessThanOrEqual(0.02);
    },
    TIME_LIMIT_MS,
  );
});
