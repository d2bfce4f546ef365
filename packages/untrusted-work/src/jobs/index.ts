/** What runs in a worker process. */
export { serveJobs, type Job, type Jobs } from '../serve-jobs.ts';
export { CompiledCache } from './compiled-cache.ts';
export { schemaJobs } from './schema-jobs.ts';
