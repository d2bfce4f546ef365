import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseWav } from '@calls/audio/wav';
import { SPEECH_RATE_HZ } from '@calls/engine-ports/speech-to-text';
import type { HumanSentence } from '@calls/testkit/speech/human-voice';
import { resample } from '@calls/testkit/speech/shaping';
import { markdownTable } from '../support/markdown-table.ts';
import { measureSpeechToText } from './run-stt.ts';
import { VOICE_SENTENCES } from './voice-sentences.ts';

const LIMITS = { timeout: 30_000 };
/** Voices that Debian packages install. The first is the service's default for English. */
const COMPARED = ['flite:slt', 'flite:rms', 'espeak-ng:en-us+f3', 'espeak-ng:en-us+m3', 'espeak-ng:en-us'];

/** Synthesizes `$1` to the file `$2` with the voice `$3`. Festival's voices are functions. */
const SCRIPTS: Readonly<Record<string, string>> = {
  'espeak-ng': 'espeak-ng -v "$3" -b 1 -z -w "$2" -- "$1"',
  flite: 'flite -voice "$3" -t "$1" -o "$2"',
  festival: 'text2wave -eval "(voice_$3)" -o "$2" <<<"$1"',
};

/**
 * Synthesizes sentences with each voice and transcribes them with the embedded STT engine. Word errors depend only on
 * the voice; CPU time, which includes the start of a program for each sentence, also depends on the machine. Returns
 * a table.
 */
export async function benchVoices(named: readonly string[], say: (line: string) => void): Promise<string> {
  const rows: string[][] = [];
  for (const voice of named.length > 0 ? named : COMPARED) {
    say(voice);
    const { sentences, cpuMs } = await spoken(voice);
    const { wordErrorRate } = await measureSpeechToText(sentences);
    const speechMs = sentences.reduce(
      (sum, { samples }) => sum + (samples.length * 1000) / SPEECH_RATE_HZ,
      0,
    );
    const words = `${(wordErrorRate * 100).toFixed(1)} %`;
    rows.push([`\`${voice}\``, words, `${(cpuMs / speechMs).toFixed(4)} s`]);
  }
  return markdownTable(['voice', 'word errors', 'processor time per second of speech'], rows, 1);
}

async function spoken(named: string): Promise<{ sentences: HumanSentence[]; cpuMs: number }> {
  const [program = '', voice = ''] = named.split(':');
  const script = SCRIPTS[program];
  if (script === undefined) throw new Error(`a voice is PROGRAM:NAME, of ${Object.keys(SCRIPTS).join(', ')}`);
  const dir = await mkdtemp(join(tmpdir(), 'voices-'));
  try {
    const path = join(dir, 'spoken.wav');
    const sentences: HumanSentence[] = [];
    let cpuMs = 0;
    for (const text of VOICE_SENTENCES) {
      const timed = `TIMEFORMAT='cpu %U %S'; time { ${script}; }`;
      const { stderr } = await promisify(execFile)('bash', ['-c', timed, 'bash', text, path, voice], LIMITS);
      const [, user, system] = /^cpu (\S+) (\S+)$/m.exec(stderr) ?? [];
      cpuMs += (Number(user) + Number(system)) * 1000;
      const { samples, sampleRateHz } = parseWav(await readFile(path));
      sentences.push({ text, samples: resample(samples, sampleRateHz, SPEECH_RATE_HZ) });
    }
    return { sentences, cpuMs };
  } finally {
    await rm(dir, { recursive: true });
  }
}
