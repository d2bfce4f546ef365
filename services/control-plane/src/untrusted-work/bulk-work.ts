import { fileURLToPath } from 'node:url';
import type { Logger } from '@calls/foundation/logger';
import { WorkPool } from '@calls/untrusted-work/work-pool';
import type { bulkJobs } from './bulk-jobs.ts';

export type BulkWork = WorkPool<typeof bulkJobs>;

const LIMITS = { cpuMs: 5000, wallMs: 60_000, queueMs: 30_000 };

/** Starts its process with the first job. */
export function createBulkWork(log: Logger): BulkWork {
  const entry = fileURLToPath(new URL('./bulk-main.ts', import.meta.url));
  return new WorkPool<typeof bulkJobs>({ entry, size: 1, limits: LIMITS, log });
}
