import { fileURLToPath } from 'node:url';
import type { Logger } from '@calls/foundation/logger';
import type { Issue } from '@calls/foundation/schema/validator';
import type { schemaJobs } from './jobs/schema-jobs.ts';
import { WorkTooExpensiveError } from './work-error.ts';
import { WorkPool } from './work-pool.ts';

/**
 * Evaluates customers' schemas and patterns outside of this process. Rejects with a WorkUnavailableError if the pool is
 * full.
 */
export interface UntrustedChecks {
  /** Why each schema cannot be used; null if it can. */
  schemaIssues(schemas: readonly unknown[]): Promise<(string | null)[]>;
  /** The issues of each value, with paths in the value. An unusable schema is an issue of each. */
  valueIssues(schema: unknown, values: readonly unknown[]): Promise<Issue[][]>;
  /** Why each pattern cannot be used; null if it can. */
  patternIssues(patterns: readonly string[]): Promise<(string | null)[]>;
  /** The index of the first pattern that matches the text; -1 if none does or the evaluation takes too long. */
  firstMatch(patterns: readonly string[], text: string): Promise<number>;
}

/** The checks of one account. Accounts take turns. */
export type ChecksOf = (accountId: string) => UntrustedChecks;

export type SchemaJobs = typeof schemaJobs;

const TOO_EXPENSIVE = new WorkTooExpensiveError('time').message;
const LIMITS = { cpuMs: 1000, wallMs: 10_000, queueMs: 10_000 };
const PROCESSES = 2;

/** Creates the pool for short jobs. `entry`: the program of its processes, for services with additional jobs. */
export function createShortWork<J extends SchemaJobs = SchemaJobs>(options: {
  log: Logger;
  entry?: string;
}): WorkPool<J> {
  const { log, entry = fileURLToPath(new URL('./jobs/schema-main.ts', import.meta.url)) } = options;
  return new WorkPool<J>({ entry, size: PROCESSES, limits: LIMITS, log });
}

/** `pool.run`: see WorkPool. */
export function createChecksOf(pool: Pick<WorkPool<SchemaJobs>, 'run'>): ChecksOf {
  return (accountId) => checksOf(pool, accountId);
}

function checksOf(pool: Pick<WorkPool<SchemaJobs>, 'run'>, owner: string): UntrustedChecks {
  const orTooExpensive = async <T>(job: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await job;
    } catch (thrown) {
      if (thrown instanceof WorkTooExpensiveError) return otherwise;
      throw thrown;
    }
  };
  return {
    async schemaIssues(schemas) {
      if (schemas.length === 0) return [];
      const otherwise = schemas.map(() => TOO_EXPENSIVE);
      return orTooExpensive(pool.run('schemaIssues', { schemas }, { owner }), otherwise);
    },
    async valueIssues(schema, values) {
      if (values.length === 0) return [];
      const otherwise = { issues: values.map(() => [{ path: '', message: TOO_EXPENSIVE }]) };
      const found = await orTooExpensive(pool.run('valueIssues', { schema, values }, { owner }), otherwise);
      if ('issues' in found) return found.issues;
      return values.map(() => [{ path: '', message: `has a schema that ${found.schemaIssue}` }]);
    },
    async patternIssues(patterns) {
      if (patterns.length === 0) return [];
      const otherwise = patterns.map(() => TOO_EXPENSIVE);
      return orTooExpensive(pool.run('patternIssues', { patterns }, { owner }), otherwise);
    },
    async firstMatch(patterns, text) {
      if (patterns.length === 0) return -1;
      return orTooExpensive(pool.run('firstMatch', { patterns, text }, { owner }), -1);
    },
  };
}
