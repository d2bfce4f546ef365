/** A worker process for services whose only untrusted work is schemas and patterns. */
import { serveJobs } from '../serve-jobs.ts';
import { schemaJobs } from './schema-jobs.ts';

// The first schema takes the time of loading Ajv's metaschemas; jobs should not wait for it.
schemaJobs.valueIssues({ schema: { type: 'object' }, values: [{}] });
serveJobs(schemaJobs);
