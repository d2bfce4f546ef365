import { readFile } from 'node:fs/promises';
import { parseWav } from '@calls/audio/wav';
import { resample } from './resample.ts';

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
