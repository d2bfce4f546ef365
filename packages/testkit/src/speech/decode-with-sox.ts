import { execFile } from 'node:child_process';
import { samplesFromBytes } from '@calls/audio/pcm';

/** `killSignal`: sox would end normally on SIGTERM, with a part of the audio. */
const LIMITS = { timeout: 120_000, killSignal: 'SIGKILL', maxBuffer: 2 ** 28, encoding: 'buffer' } as const;

/** Decodes an audio file of any format that sox supports to mono. Rejects if the result is empty. */
export function decodeWithSox(path: string, sampleRateHz: number): Promise<Int16Array> {
  const args = [
    '-R',
    '-D',
    path,
    ...'-t raw -e signed-integer -b 16 -L -c 1 -r'.split(' '),
    `${sampleRateHz}`,
    '-',
  ];
  return new Promise((resolve, reject) => {
    execFile('sox', args, LIMITS, (error, stdout, stderr) => {
      // A timeout after the program has ended discards its unread output, and is not an error.
      if (error || stdout.length === 0)
        reject(new Error(`sox did not decode ${path}: ${stderr.toString()}`, { cause: error }));
      else resolve(samplesFromBytes(stdout));
    });
  });
}
