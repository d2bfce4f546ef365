import { fileURLToPath } from 'node:url';
import type { Logger } from '@calls/foundation/logger';
import { createShortWork } from '@calls/untrusted-work/untrusted-checks';
import type { WorkPool } from '@calls/untrusted-work/work-pool';
import type { dispatcherJobs } from './jobs.ts';

export type DispatcherWork = WorkPool<typeof dispatcherJobs>;

export function createDispatcherWork(log: Logger): DispatcherWork {
  const entry = fileURLToPath(new URL('./main.ts', import.meta.url));
  return createShortWork<typeof dispatcherJobs>({ log, entry });
}
