export * from './job-queue.ts';
export * from './job-workers.ts';
export * from './jobs.ts';
