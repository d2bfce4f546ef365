/** A worker process for large documents and bodies from customers. */
import { serveJobs } from '@calls/untrusted-work/serve-jobs';
import { bulkJobs } from './bulk-jobs.ts';

serveJobs(bulkJobs);
