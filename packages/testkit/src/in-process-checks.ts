import { createChecksOf, type ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import { schemaJobs } from '@calls/untrusted-work/jobs/schema-jobs';

/** Evaluates customers' schemas and patterns in this process, for tests with a virtual clock. */
export const inProcessChecksOf: ChecksOf = createChecksOf({
  run: (kind, input) => Promise.resolve(schemaJobs[kind](input as never)) as Promise<never>,
});
