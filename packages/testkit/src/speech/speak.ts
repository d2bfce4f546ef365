import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseWav, type WavAudio } from '@calls/audio/wav';
import { resample } from './resample.ts';
import { cachedSpeech } from './speech-cache.ts';

const run = promisify(execFile);
const LIMITS = { timeout: 20_000, maxBuffer: 64 * 1024 * 1024 };

/** flite: slt (a woman), rms, awb and kal16 (men) at 16 kHz; espeak-ng: en-us, en-gb, de and many more. */
export interface SpeakOptions {
  engine: 'flite' | 'espeak-ng';
  voice: string;
  text: string;
  sampleRateHz: number;
}

/** Synthesizes speech with a Debian synthesiser; cached in .cache/speech. */
export async function speak(options: SpeakOptions): Promise<Int16Array> {
  const { engine, voice, text, sampleRateHz } = options;
  const { samples, sampleRateHz: madeAtHz } = await cachedSpeech({ engine, voice, text }, () =>
    engine === 'flite' ? speakByFlite(voice, text) : speakByEspeak(voice, text),
  );
  return resample(samples, madeAtHz, sampleRateHz);
}

async function speakByFlite(voice: string, text: string): Promise<WavAudio> {
  const dir = await mkdtemp(join(tmpdir(), 'speech-'));
  try {
    const path = join(dir, 'spoken.wav');
    await run('flite', ['-voice', voice, '-t', text, '-o', path], LIMITS);
    return parseWav(await readFile(path));
  } finally {
    await rm(dir, { recursive: true });
  }
}

async function speakByEspeak(voice: string, text: string): Promise<WavAudio> {
  const { stdout } = await run('espeak-ng', ['-v', voice, '--stdout', '--', text], {
    ...LIMITS,
    encoding: 'buffer',
  });
  return parseWav(stdout);
}
