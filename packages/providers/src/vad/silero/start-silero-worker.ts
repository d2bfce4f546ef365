import { Worker } from 'node:worker_threads';
import type { SileroThreadData } from './messages.ts';
import { SILERO } from './window-batcher.ts';

export type StartWorker = (workerData: SileroThreadData) => Worker;

export const startSileroWorker: StartWorker = (workerData) => {
  // Must be set before the thread loads the library, which otherwise sends telemetry.
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  return new Worker(new URL('./silero-thread.ts', import.meta.url), { workerData, name: SILERO });
};
