/** A worker process that evaluates schemas, patterns and robots.txt files from customers and third-party sites. */
import { serveJobs } from '@calls/untrusted-work/serve-jobs';
import { dispatcherJobs } from './jobs.ts';

serveJobs(dispatcherJobs);
