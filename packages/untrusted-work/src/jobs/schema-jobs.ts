import { BoundedCache } from '@calls/foundation/bounded-cache';
import {
  compileLinearPattern,
  linearPatternIssue,
  type LinearPattern,
} from '@calls/foundation/schema/linear-pattern';
import {
  compileUntrustedSchema,
  UntrustedSchemaError,
  untrustedSchemaIssue,
} from '@calls/foundation/schema/untrusted-schema';
import type { Issue, Validator } from '@calls/foundation/schema/validator';

/** A compiled schema takes about fifty times the memory of its source. */
const MAX_SCHEMA_CHARACTERS = 2 * 1024 * 1024;
const MAX_PATTERN_CHARACTERS = 64 * 1024;
const WHAT = 'value';

const validators = new BoundedCache<Validator<unknown>>(MAX_SCHEMA_CHARACTERS);
/** Null for an unusable pattern, such as one that an earlier release stored. */
const patterns = new BoundedCache<LinearPattern | null>(MAX_PATTERN_CHARACTERS);

function compiledPattern(pattern: string): LinearPattern | null {
  return patterns.getOrMake(pattern, pattern.length, () =>
    linearPatternIssue(pattern) === null ? compileLinearPattern(pattern) : null,
  );
}

/** Jobs for customers' JSON Schemas and patterns. Compiled ones are cached in the process. */
export const schemaJobs = {
  /** Why each schema cannot be used; null if it can. */
  schemaIssues: ({ schemas }: { schemas: readonly unknown[] }): (string | null)[] =>
    schemas.map(untrustedSchemaIssue),

  /** The issues of each value, or why the schema cannot be used. */
  valueIssues({ schema, values }: ValueIssuesInput): ValueIssues {
    try {
      const source = JSON.stringify(schema);
      const compile = (): Validator<unknown> => compileUntrustedSchema(WHAT, JSON.parse(source));
      const validator = validators.getOrMake(source, source.length, compile);
      return { issues: values.map((value) => validator.issues(value)) };
    } catch (thrown) {
      if (thrown instanceof UntrustedSchemaError) return { schemaIssue: thrown.message };
      throw thrown;
    }
  },

  /** Why each pattern cannot be used; null if it can. */
  patternIssues: ({ patterns: given }: { patterns: readonly string[] }): (string | null)[] =>
    given.map(linearPatternIssue),

  /** The index of the first pattern that matches the text, or -1. */
  firstMatch: ({ patterns: given, text }: { patterns: readonly string[]; text: string }): number =>
    given.findIndex((pattern) => compiledPattern(pattern)?.test(text) === true),
};

interface ValueIssuesInput {
  schema: unknown;
  values: readonly unknown[];
}

export type ValueIssues = { issues: Issue[][] } | { schemaIssue: string };
