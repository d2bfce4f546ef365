/** A worker process for schemas, patterns and robots.txt files of customers and their sites. */
import { serveJobs } from '@calls/untrusted-work/serve-jobs';
import { dispatcherJobs } from './jobs.ts';

serveJobs(dispatcherJobs);
