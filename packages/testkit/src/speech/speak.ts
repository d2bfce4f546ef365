import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { encodeWav, parseWav, type WavAudio } from '@calls/audio/wav';
import { newId } from '@calls/foundation/ids';
import { resample } from './shaping.ts';

const CACHE_DIR = join(import.meta.dirname, '../../../../.cache/speech');

const run = promisify(execFile);
const LIMITS = { timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };

/** flite: slt (a woman), rms, awb and kal16 (men) at 16 kHz; espeak-ng: en-us, en-gb, de and many more. */
export interface SpeakOptions {
  engine: 'flite' | 'espeak-ng';
  voice: string;
  text: string;
  sampleRateHz: number;
}

/** Synthesizes speech with a Debian synthesizer; cached in .cache/speech. */
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

/** Returns the cached result of `make` for `recipe`, or creates it. Processes may share the cache. */
async function cachedSpeech(recipe: object, make: () => Promise<WavAudio>): Promise<WavAudio> {
  const key = createHash('sha256').update(JSON.stringify(recipe)).digest('hex');
  const path = join(CACHE_DIR, `${key}.wav`);
  const cached = await readFile(path).catch(() => undefined);
  if (cached) return parseWav(cached);
  const made = await make();
  await mkdir(CACHE_DIR, { recursive: true });
  const unfinished = `${path}.${newId()}`;
  await writeFile(unfinished, encodeWav(made.samples, made.sampleRateHz));
  await rename(unfinished, path);
  return made;
}
