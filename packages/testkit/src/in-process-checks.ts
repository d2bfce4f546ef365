import { createChecksOf, type ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import { schemaJobs } from '@calls/untrusted-work/jobs/schema-jobs';

/** Customers' schemas and patterns evaluated in this process: for tests whose clock no process keeps up with. */
export const inProcessChecksOf: ChecksOf = createChecksOf({
  run: (kind, input) => Promise.resolve(schemaJobs[kind](input as never)) as Promise<never>,
});
