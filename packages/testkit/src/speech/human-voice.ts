import { readFile } from 'node:fs/promises';
import { samplesFromBytes } from '@calls/audio/pcm';
import { parseWav } from '@calls/audio/wav';
import { resample } from './shaping.ts';

/** Transcripts of the recordings of a woman in Debian's alsa-utils, from their file names. */
export const HUMAN_PHRASES = [
  'Front_Center',
  'Front_Left',
  'Front_Right',
  'Rear_Center',
  'Rear_Left',
  'Rear_Right',
  'Side_Left',
  'Side_Right',
] as const;

export type HumanPhrase = (typeof HUMAN_PHRASES)[number];

export async function humanVoice(name: HumanPhrase, sampleRateHz: number): Promise<Int16Array> {
  const recording = parseWav(await readFile(`/usr/share/sounds/alsa/${name}.wav`));
  return resample(recording.samples, recording.sampleRateHz, sampleRateHz);
}

const RATE_HZ = 16_000;
/** Recordings in Debian's pocketsphinx-testdata: people reading a novel or naming playing cards. */
const DATA = '/usr/share/pocketsphinx/test/data';
const TRANSCRIPTS = ['librivox/transcription', 'cards/cards.transcription'];

export interface HumanSentence {
  text: string;
  /** 16 kHz, 16 bit. */
  samples: Int16Array;
}

/** Transcripts of recordings in Debian packages: about 110 words by several speakers. */
export async function humanSentences(): Promise<HumanSentence[]> {
  const read = (await Promise.all(TRANSCRIPTS.map(sentencesOf))).flat();
  const phrases = await Promise.all(
    HUMAN_PHRASES.map(async (name) => ({
      text: name.replace('_', ' '),
      samples: await humanVoice(name, RATE_HZ),
    })),
  );
  const command = {
    text: 'go forward ten meters',
    samples: samplesFromBytes(await readFile(`${DATA}/goforward.raw`)),
  };
  return [...read, command, ...phrases];
}

/** A transcript line per recording: `<s> ten of clubs </s> (001)`. */
async function sentencesOf(transcript: string): Promise<HumanSentence[]> {
  const path = `${DATA}/${transcript}`;
  const folder = path.slice(0, path.lastIndexOf('/'));
  const lines = (await readFile(path, 'utf8')).matchAll(/^<s> (?<text>.*?) *<\/s> \((?<name>[^)]+)\)/gm);
  return Promise.all(
    [...lines].map(async ({ groups }) => {
      const { samples, sampleRateHz } = parseWav(await readFile(`${folder}/${groups?.['name']}.wav`));
      // Matches the spelling of speech-to-text.
      const text = (groups?.['text'] ?? '').replaceAll('mister', 'mr');
      return { text, samples: resample(samples, sampleRateHz, RATE_HZ) };
    }),
  );
}
