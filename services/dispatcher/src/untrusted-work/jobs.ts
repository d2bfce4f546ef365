import { robotsJobs } from '@calls/corpora/robots-jobs';
import { schemaJobs } from '@calls/untrusted-work/jobs';

export const dispatcherJobs = { ...schemaJobs, ...robotsJobs };
