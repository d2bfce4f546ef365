import { afterAll, describe, expect, it } from '@jest/globals';
import type { AnsweredBy } from '@calls/api-contract/rest/enums';
import { initialAnswerState, stepAnswer } from '@calls/conversation/answering-machine/answer-classifier';
import type { SpeechToText } from '@calls/engine-ports/speech-to-text';
import { VAD_WINDOW_MS, VAD_WINDOW_SAMPLES } from '@calls/engine-ports/voice-activity-detector';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createMoonshine } from '@calls/providers/stt/moonshine/adapter';
import { createSileroEngine } from '@calls/providers/vad/silero/silero-engine';
import { IS_LONG_FORM } from '@calls/testkit/long-form';
import {
  promptAsCalled,
  PROMPTS,
  VOICES,
  type CalledPrompt,
  type Prompt,
} from '../support/telephony/prompts.ts';

const SNRS_DB = IS_LONG_FORM ? [null, 30, 20, 10] : [null, 20, 10];
const LONG_LIMIT_MS = 1_800_000;
const LIMIT_MS = IS_LONG_FORM ? LONG_LIMIT_MS : 300_000;
const itInLongForm = IS_LONG_FORM ? it : it.skip;
/** Length of a pause in a call with the default settings. */
const PAUSE_WINDOWS = 12;
const PRE_ROLL_WINDOWS = 10;
const ACTIVATION = 0.1;

const vad = await createSileroEngine({ log: silentLogger });
const stt = createMoonshine({ clock: systemClock, log: silentLogger, timeoutMs: 60_000 });
afterAll(async () => {
  await vad[Symbol.asyncDispose]();
  await stt[Symbol.asyncDispose]();
});

/** Transcribes a piece of the audio. */
type Recognizer = (audio: Int16Array, fromMs: number, toMs: number) => Promise<string>;

interface Detected {
  answeredBy: AnsweredBy | null;
  /** Whether a person was reported at any time. */
  wasHuman: boolean;
  words: string;
}

/** Runs the detection on the audio, and on the transcript that `recognize` returns at each pause. */
async function detect(samples: Int16Array, recognize: Recognizer): Promise<Detected> {
  const detector = vad.createDetector();
  const words: string[] = [];
  let state = initialAnswerState();
  let wasHuman = false;
  let silent = 0;
  let start: number | null = null;
  const windows = Math.floor(samples.length / VAD_WINDOW_SAMPLES);
  for (let index = 0; index < windows; index += 1) {
    const window = samples.subarray(index * VAD_WINDOW_SAMPLES, (index + 1) * VAD_WINDOW_SAMPLES);
    const probability = await detector.push(window);
    const atMs = (index + 1) * VAD_WINDOW_MS;
    state = stepAnswer(state, { type: 'window', probability, atMs });
    wasHuman ||= state.answer?.answeredBy === 'human';
    silent = probability >= ACTIVATION ? 0 : silent + 1;
    if (silent === 0) start ??= Math.max(0, index - PRE_ROLL_WINDOWS);
    if (start === null || silent < PAUSE_WINDOWS) continue;
    const said = samples.slice(start * VAD_WINDOW_SAMPLES, (index + 1) * VAD_WINDOW_SAMPLES);
    const text = await recognize(said, start * VAD_WINDOW_MS, atMs);
    start = null;
    words.push(text);
    if (text !== '') state = stepAnswer(state, { type: 'words', text, atMs });
  }
  detector.close();
  return { answeredBy: state.answer?.answeredBy ?? null, wasHuman, words: words.join(' | ') };
}

/** Returns the correct transcript: the text that was spoken. */
const asRead =
  ({ spans }: CalledPrompt): Recognizer =>
  (_audio, fromMs, toMs) =>
    Promise.resolve(
      spans
        .filter(({ middleMs }) => middleMs >= fromMs && middleMs < toMs)
        .map(({ text }) => text)
        .join(' '),
    );

/** Returns the transcript of the local speech-to-text engine. */
const recognized =
  (engine: SpeechToText): Recognizer =>
  async (audio) => {
    const stream = engine.open({ languageHint: 'en' }, new AbortController().signal);
    stream.push(audio);
    const { text } = await stream.finalize();
    stream.close();
    return text;
  };

interface Case {
  prompt: Prompt;
  voice: (typeof VOICES)[number];
  snrDb: number | null;
}

/** In the short form, each prompt is read by one voice, with one of the noises. */
function cases(): Case[] {
  if (IS_LONG_FORM)
    return PROMPTS.flatMap((prompt) =>
      VOICES.flatMap((voice) => SNRS_DB.map((snrDb) => ({ prompt, voice, snrDb }))),
    );
  return PROMPTS.map((prompt, index) => ({
    prompt,
    voice: VOICES[index % VOICES.length] ?? VOICES[0],
    snrDb: SNRS_DB[index % SNRS_DB.length] ?? null,
  }));
}

async function measure(
  name: string,
  chosen: readonly Case[],
  recognizer: (called: CalledPrompt) => Recognizer,
): Promise<{ rightPercent: number; wrong: object[] }> {
  const wrong: object[] = [];
  let human = 0;
  for (const [index, { prompt, voice, snrDb }] of chosen.entries()) {
    const called = await promptAsCalled(prompt, voice, snrDb, index + 1);
    const { answeredBy, wasHuman, words } = await detect(called.samples, recognizer(called));
    if (wasHuman) human += 1;
    if (answeredBy === prompt.expected) continue;
    wrong.push({ said: prompt.parts.join(' '), voice: voice.voice, snrDb, answeredBy, words });
  }
  const rightPercent = (100 * (chosen.length - wrong.length)) / chosen.length;
  process.stdout.write(`${name}: ${JSON.stringify({ prompts: chosen.length, rightPercent, human })}\n`);
  return { rightPercent, wrong };
}

describe('answering machine detection for phone menus and call screening', () => {
  it(
    'classifies every prompt correctly over a noisy telephone line when the transcripts are correct',
    async () => {
      const { wrong } = await measure('menus and screening, words as read', cases(), asRead);
      expect(wrong).toEqual([]);
    },
    LIMIT_MS,
  );

  itInLongForm(
    'classifies three of four prompts correctly with transcripts of the local speech-to-text engine',
    async () => {
      const clear = cases().filter(({ snrDb }, index) => snrDb === null && index % 8 < 4);
      const measured = await measure('menus and screening, local recognition', clear, () => recognized(stt));
      expect({ ...measured, isEnough: measured.rightPercent >= 75 }).toMatchObject({ isEnough: true });
    },
    LONG_LIMIT_MS,
  );
});
