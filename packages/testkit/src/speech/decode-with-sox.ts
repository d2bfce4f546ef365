import { execFile } from 'node:child_process';
import { samplesFromBytes } from '@calls/audio/pcm';

/** `killSignal`: sox would end normally on SIGTERM, with a part of the audio. */
const LIMITS = { timeout: 120_000, killSignal: 'SIGKILL', maxBuffer: 2 ** 28, encoding: 'buffer' } as const;

/** Decodes an audio file of any format that sox supports. Rejects if the result is empty. */
export function decodeWithSox(path: string, sampleRateHz: number): Promise<Int16Array> {
  const format = [
    '-t',
    'raw',
    '-e',
    'signed-integer',
    '-b',
    '16',
    '-L',
    '-c',
    '1',
    '-r',
    String(sampleRateHz),
  ];
  return new Promise((resolve, reject) => {
    execFile('sox', ['-R', '-D', path, ...format, '-'], LIMITS, (error, stdout, stderr) => {
      // The timeout discards the output of a program that has ended, without an error.
      if (error || stdout.length === 0)
        reject(new Error(`sox did not decode ${path}: ${stderr.toString()}`, { cause: error }));
      else resolve(samplesFromBytes(stdout));
    });
  });
}
