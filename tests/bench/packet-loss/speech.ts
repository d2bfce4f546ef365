import { resample } from '@calls/testkit/speech/shaping';
import { speak } from '@calls/testkit/speech/speak';

export const SENTENCE_RATE_HZ = 24_000;
const VOICE_RATE_HZ = 16_000;

export interface Sentence {
  text: string;
  /** At `SENTENCE_RATE_HZ`. */
  samples: Int16Array;
}

const VOICES = ['slt', 'rms'] as const;
export const TEXTS = [
  'Hello, I would like to book a table for two people tomorrow evening.',
  'What is the weather like today?',
  'My name is John Smith and I live in London.',
  'Can you please repeat that?',
  'No, I do not want to pay for it.',
  'Please call me back at five thirty in the afternoon.',
  'How much does it cost to send a letter to Germany?',
  'I want to speak to a human being.',
  'The train leaves the station at a quarter past nine in the morning.',
  'I have lost my credit card and need a new one as soon as possible.',
  'She told me that the office would be closed on Monday.',
  'There are three children playing in the garden behind the house.',
];

/** Each sentence by each voice; all sentences by the first voice come first. */
export async function sentences(count = Infinity): Promise<Sentence[]> {
  const wanted = VOICES.flatMap((voice) => TEXTS.map((text) => ({ text, voice }))).slice(0, count);
  return Promise.all(
    wanted.map(async ({ text, voice }) => {
      const spoken = await speak({ engine: 'flite', voice, text, sampleRateHz: VOICE_RATE_HZ });
      return { text, samples: resample(spoken, VOICE_RATE_HZ, SENTENCE_RATE_HZ) };
    }),
  );
}
