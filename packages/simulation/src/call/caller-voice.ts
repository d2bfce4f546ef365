import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pinkNoise } from '@calls/audio/noise';
import { clampToInt16, concatSamples, levelDbfs } from '@calls/audio/pcm';
import { createResampler } from '@calls/audio/resampler';
import { parseWav, type WavAudio } from '@calls/audio/wav';
import type { TestScenario } from '@calls/api-contract/rest/test-scenario';
import { AppError } from '@calls/foundation/errors';
import { LINE_RATE_HZ } from './spoken-words.ts';

const run = promisify(execFile);
const LIMITS = { timeout: 20_000, maxBuffer: 64 * 1024 * 1024, encoding: 'buffer' } as const;

const FLITE_VOICES = ['slt', 'rms', 'awb', 'kal16'];
const DEFAULT_VOICE = 'rms';
const SPEECH_LEVEL_DBFS = -24;
/** Samples of lower magnitude at the ends of speech are silence. */
const SILENT_LEVEL = 300;

/** Speaks lines for a caller, at the level of a telephone. */
export class CallerVoice {
  readonly voice: string;
  readonly #snrDb: number | null;
  /** Position in the noise, in samples. */
  #noiseAt = 0;

  constructor({ voice = DEFAULT_VOICE, noise }: TestScenario['caller']) {
    this.voice = voice;
    this.#snrDb = noise?.snrDb ?? null;
  }

  /** Returns speech at LINE_RATE_HZ, without silence at both ends. */
  async speak(line: string): Promise<Int16Array> {
    const { samples, sampleRateHz } = await synthesize(this.voice, line);
    const resampler = createResampler(sampleRateHz, LINE_RATE_HZ);
    const speech = concatSamples([resampler.process(samples).slice(), resampler.flush().slice()]);
    resampler.close();
    const isLoud = (sample: number): boolean => Math.abs(sample) > SILENT_LEVEL;
    const begin = speech.findIndex(isLoud);
    if (begin < 0) return new Int16Array(0);
    const trimmed = speech.slice(begin, speech.findLastIndex(isLoud) + 1);
    const gain = 10 ** ((SPEECH_LEVEL_DBFS - levelDbfs(trimmed)) / 20);
    return trimmed.map((sample) => clampToInt16(sample * gain));
  }

  /** The audio with the noise of the scenario. */
  withNoise(samples: Int16Array): Int16Array {
    if (this.#snrDb === null) return samples;
    const noise = pinkNoise(samples.length, SPEECH_LEVEL_DBFS - this.#snrDb, this.#noiseAt);
    this.#noiseAt += samples.length;
    return samples.map((sample, i) => clampToInt16(sample + (noise[i] ?? 0)));
  }
}

async function synthesize(voice: string, line: string): Promise<WavAudio> {
  try {
    if (!FLITE_VOICES.includes(voice)) {
      const { stdout } = await run('espeak-ng', ['-v', voice, '--stdout', '--', line], LIMITS);
      return parseWav(stdout);
    }
    const folder = await mkdtemp(join(tmpdir(), 'calls-caller-'));
    try {
      const path = join(folder, 'line.wav');
      await run('flite', ['-voice', voice, '-t', line, '-o', path], LIMITS);
      return parseWav(await readFile(path));
    } finally {
      await rm(folder, { recursive: true });
    }
  } catch (thrown) {
    throw new AppError('caller_voice', `the caller cannot speak with the voice ${voice}`, { cause: thrown });
  }
}
