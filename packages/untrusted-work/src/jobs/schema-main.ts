/** A worker process for services whose only untrusted work is schemas and patterns. */
import { serveJobs } from '../serve-jobs.ts';
import { schemaJobs } from './schema-jobs.ts';

serveJobs(schemaJobs);
