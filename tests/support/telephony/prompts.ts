import { resample, silence, withNoise, withSilence } from '@calls/testkit/speech/shaping';
import { concatSamples } from '@calls/audio/pcm';
import { decodeMuLaw, encodeMuLaw } from '@calls/audio/g711';
import { speak } from '@calls/testkit/speech/speak';

const LINE_HZ = 8000;
const PAUSE_MS = 600;
const BEFORE_MS = 500;
export const VOICES = [
  { engine: 'flite', voice: 'slt' },
  { engine: 'espeak-ng', voice: 'en-us' },
  { engine: 'flite', voice: 'rms' },
  { engine: 'espeak-ng', voice: 'en-gb' },
  { engine: 'flite', voice: 'awb' },
  { engine: 'flite', voice: 'kal16' },
] as const;

export interface Prompt {
  expected: 'ivr' | 'screening';
  /** Parts of the prompt, each followed by a pause. */
  parts: readonly string[];
}

/** Prompts of phone menus and of call screening. */
export const PROMPTS: readonly Prompt[] = [
  {
    expected: 'ivr',
    parts: ['Thank you for calling Acme.', 'For sales, press one.', 'For service, press two.'],
  },
  {
    expected: 'screening',
    parts: [
      "Hi, the person you're calling is using a screening service.",
      'Please say your name and why you are calling.',
    ],
  },
  {
    expected: 'ivr',
    parts: ['Welcome to the city bank.', 'Please listen carefully, as our menu options have changed.'],
  },
  {
    expected: 'screening',
    parts: ["Hi, if you record your name and reason for calling, I'll see if this person is available."],
  },
  {
    expected: 'ivr',
    parts: [
      'You have reached the clinic.',
      'If you are a patient, press one.',
      'To hear this again, press nine.',
    ],
  },
  {
    expected: 'screening',
    parts: ['Hello. Before I try to connect you, please state your name and the reason for your call.'],
  },
  {
    expected: 'ivr',
    parts: [
      'Your call is important to us.',
      'Please choose from the following options.',
      'For reservations, press three.',
    ],
  },
  {
    expected: 'screening',
    parts: ['This is call screening.', 'Who is calling, and what is the reason for your call?'],
  },
  { expected: 'ivr', parts: ['Please enter your account number, followed by the pound key.'] },
  {
    expected: 'ivr',
    parts: ['Good afternoon, you have reached the main menu.', 'To speak with an operator, press zero.'],
  },
];

export interface CalledPrompt {
  /** Audio at 16 kHz. */
  samples: Int16Array;
  /** The middle of each part in the audio. */
  spans: readonly { text: string; middleMs: number }[];
}

/** The prompt as a call receives it: with noise, coded with G.711 and resampled to 16 kHz. */
export async function promptAsCalled(
  { parts }: Prompt,
  voice: (typeof VOICES)[number],
  snrDb: number | null,
  seed: number,
): Promise<CalledPrompt> {
  const spoken = await Promise.all(parts.map((text) => speak({ ...voice, text, sampleRateHz: LINE_HZ })));
  const prompt = concatSamples(spoken.flatMap((part) => [part, silence(PAUSE_MS, LINE_HZ)]));
  let startMs = BEFORE_MS;
  const spans = spoken.map((part, index) => {
    const durationMs = (part.length * 1000) / LINE_HZ;
    const middleMs = startMs + durationMs / 2;
    startMs += durationMs + PAUSE_MS;
    return { text: parts[index] ?? '', middleMs };
  });
  const padded = withSilence(prompt, { beforeMs: BEFORE_MS, afterMs: 1500, sampleRateHz: LINE_HZ });
  const noisy = snrDb === null ? padded : withNoise(padded, { snrDb, seed, sampleRateHz: LINE_HZ });
  return { samples: resample(decodeMuLaw(encodeMuLaw(noisy)), LINE_HZ, 16_000), spans };
}
