import { robotsJobs } from '@calls/corpora/crawl/robots-jobs';
import { schemaJobs } from '@calls/untrusted-work/jobs/schema-jobs';

export const dispatcherJobs = { ...schemaJobs, ...robotsJobs };
