export {
  createChecksOf,
  createShortWork,
  type ChecksOf,
  type SchemaJobs,
  type UntrustedChecks,
} from './untrusted-checks.ts';
export { WorkRefusedError, WorkTooExpensiveError, WorkUnavailableError } from './work-error.ts';
export { WorkPool, type WorkPoolOptions } from './work-pool.ts';
