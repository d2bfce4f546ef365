import type { Issue } from '@calls/api-contract/validation/validator';
import { compileLinearPattern, linearPatternFault } from '@calls/api-contract/validation/linear-pattern';
import {
  compileUntrustedSchema,
  UntrustedSchemaError,
  untrustedSchemaFault,
} from '@calls/api-contract/validation/untrusted-schema';
import { CompiledCache } from './compiled-cache.ts';

/** A schema is compiled to some fifty times its size. */
const MAX_SCHEMA_CHARACTERS = 2 * 1024 * 1024;
const MAX_PATTERN_CHARACTERS = 64 * 1024;
const WHAT = 'value';

const validators = new CompiledCache(MAX_SCHEMA_CHARACTERS, (source) =>
  compileUntrustedSchema(WHAT, JSON.parse(source)),
);
/** Null for a pattern that can't be used, as one that an earlier release stored. */
const patterns = new CompiledCache(MAX_PATTERN_CHARACTERS, (pattern) =>
  linearPatternFault(pattern) === null ? compileLinearPattern(pattern) : null,
);

/** Jobs for customers' JSON Schemas and patterns; what is compiled is cached in the process. */
export const schemaJobs = {
  /** What keeps each schema from being used, or null. */
  schemaIssues: ({ schemas }: { schemas: readonly unknown[] }): (string | null)[] =>
    schemas.map(untrustedSchemaFault),

  /** The issues of each value, or what keeps the schema from being used. */
  valueIssues({ schema, values }: ValueIssuesInput): ValueIssues {
    try {
      const validator = validators.get(JSON.stringify(schema));
      return { issues: values.map((value) => validator.issues(value)) };
    } catch (thrown) {
      if (thrown instanceof UntrustedSchemaError) return { schemaIssue: thrown.message };
      throw thrown;
    }
  },

  /** What keeps each pattern from being used, or null. */
  patternIssues: ({ patterns: given }: { patterns: readonly string[] }): (string | null)[] =>
    given.map(linearPatternFault),

  /** The index of the first pattern that matches the text, or -1. */
  firstMatch: ({ patterns: given, text }: { patterns: readonly string[]; text: string }): number =>
    given.findIndex((pattern) => patterns.get(pattern)?.test(text) === true),
};

interface ValueIssuesInput {
  schema: unknown;
  values: readonly unknown[];
}

export type ValueIssues = { issues: Issue[][] } | { schemaIssue: string };
