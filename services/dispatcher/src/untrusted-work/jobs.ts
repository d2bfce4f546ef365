import { robotsJobs } from '@calls/corpora/crawl/crawl-rules';
import { schemaJobs } from '@calls/untrusted-work/jobs/schema-jobs';

export const dispatcherJobs = { ...schemaJobs, ...robotsJobs };
