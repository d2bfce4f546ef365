/** A worker process for the tests of WorkPool. */
import { AppError } from '@calls/foundation/errors';
import { serveJobs } from './serve-jobs.ts';

export const testJobs = {
  pid: (_input: null) => process.pid,
  echo({ pieces }: { pieces: number }, emit: (piece: unknown) => void): string {
    for (let piece = 0; piece < pieces; piece += 1) emit(piece);
    return 'done';
  },
  join: (_input: null, _emit: unknown, chunks: readonly Uint8Array[]) => Buffer.concat(chunks).toString(),
  spin(_input: null): never {
    for (;;);
  },
  hoard(_input: null): never {
    const hoard: unknown[] = [];
    for (;;) hoard.push(Array.from({ length: 1000 }, () => ({})));
  },
  exit(_input: null): never {
    process.exit(3);
  },
  refuse(_input: null): never {
    throw new AppError('no_good', 'is no good');
  },
  reject: (_input: null): Promise<never> => Promise.reject(new Error('a bug')),
  wait(_input: null, emit: (piece: unknown) => void): Promise<never> {
    emit('started');
    return new Promise(() => setTimeout(() => undefined, 60_000));
  },
};

serveJobs(testJobs);
