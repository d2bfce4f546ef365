import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { isJsonObject } from '../json-object.ts';
import { hasMoreValuesThan } from './count-values.ts';
import { compileLinearPattern } from './linear-pattern.ts';
import { addCommonFormats, ValidationError, validatorOf, type Issue, type Validator } from './validator.ts';

const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_DEPTH = 24;
/** Limit of subschemas that one value may be checked against, including references. */
const MAX_CHECKS = 5000;
const MAX_PATTERN_LENGTH = 512;
/** Limit of the members and items of a value, at every depth. */
const MAX_VALUES = 10_000;
/** Limit of checks over all values. */
const MAX_WORK = 200_000;
/** For a value with more checks, only the first issue is reported, because each check may add one. */
const MAX_WORK_FOR_ALL_ISSUES = 20_000;
/** Keywords that compare a value with each item of a list, and the number of comparisons that count as one check. */
const LISTING_KEYWORDS = ['required', 'enum', 'dependentRequired'];
const COMPARISONS_PER_CHECK = 20;
/** Keywords whose subschemas apply to any number of values. */
const REPEATING_KEYWORDS = [
  'items',
  'contains',
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];
/** Keywords whose value has schemas under names that the customer chooses. */
const SCHEMA_MAPS = [
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
];
/** Decimals of a quotient that count: 19.99 is a multiple of 0.01, though 19.99 / 0.01 is 1998.9999999999998. */
const MULTIPLE_OF_PRECISION = 6;
/** Number of checks that a uniqueness comparison counts for. */
const UNIQUENESS_CHECKS = 100;

/** Why a JSON Schema (draft 2020-12) from a customer cannot be used. */
export class UntrustedSchemaError extends Error {}

/** Subschemas that apply to a value at most once, and those that apply to any number of its values. */
interface Checks {
  once: number;
  repeated: number;
}

/** Keywords that refer outside of the schema or change the meaning of references. */
const REFUSED_KEYWORDS = ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$vocabulary'];
/** Ajv's keyword for asynchronous validators. Rejected with any value, except as the name of a property. */
const ASYNC_KEYWORD = '$async';

const lenient = { strict: false, logger: false } as const;
/** Validates JSON Schemas against the metaschema; does not compile them. */
const metaAjv = new Ajv2020(lenient);

/**
 * Why a customer's JSON Schema cannot be used; null if it can. It must be self-contained (`$ref` only to its own
 * `$defs`, without recursion) and of bounded size, and its patterns must have no look-around and no backreferences.
 */
export function untrustedSchemaIssue(schema: unknown): string | null {
  try {
    check(schema);
    return null;
  } catch (thrown) {
    if (thrown instanceof UntrustedSchemaError) return thrown.message;
    throw thrown;
  }
}

/** `what` names the input in messages. Throws an UntrustedSchemaError for an unusable schema. */
export function compileUntrustedSchema(what: string, schema: unknown): Validator<unknown> {
  const { usable, checks } = check(schema);
  const first = compile(what, usable, false);
  let every: Validator<unknown> | undefined;
  const maxValues = (work: number): number => Math.ceil(work / Math.max(1, checks.repeated));
  const most = Math.min(MAX_VALUES, maxValues(MAX_WORK));
  const mostForAll = Math.min(MAX_VALUES, maxValues(MAX_WORK_FOR_ALL_ISSUES));
  const issues = (value: unknown): Issue[] => {
    if (hasMoreValuesThan(value, most)) return [{ path: '', message: `must have at most ${most} values` }];
    const found = first.issues(value);
    if (found.length === 0 || hasMoreValuesThan(value, mostForAll)) return found;
    every ??= compile(what, usable, true);
    return every.issues(value);
  };
  return {
    issues,
    parse(value) {
      const found = issues(value);
      if (found.length > 0) throw new ValidationError(what, found);
      return value;
    },
  };
}

function compile(what: string, schema: AnySchemaObject, allErrors: boolean): Validator<unknown> {
  // An Ajv instance retains everything that it compiled.
  const ajv = new Ajv2020({
    ...lenient,
    allErrors,
    verbose: true,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    // Ignores inherited properties, such as `constructor`.
    ownProperties: true,
    multipleOfPrecision: MULTIPLE_OF_PRECISION,
    code: { regExp: Object.assign(compileLinearPattern, { code: 'linearPattern' }) },
  });
  // Draft 4's keyword, which Ajv refuses; draft 2020-12 ignores it like any unknown one.
  ajv.removeKeyword('id');
  addCommonFormats(ajv);
  try {
    return validatorOf<unknown>(what, ajv.compile(schema));
  } catch (thrown) {
    throw new UntrustedSchemaError(`is not a JSON Schema that can be used: ${messageOf(thrown)}`);
  }
}

function check(schema: unknown): { usable: AnySchemaObject; checks: Checks } {
  if (!isJsonObject(schema)) throw new UntrustedSchemaError('must be a JSON Schema, an object');
  assertDepth(schema);
  if (JSON.stringify(schema).length > MAX_SCHEMA_BYTES) {
    throw new UntrustedSchemaError(`must be at most ${MAX_SCHEMA_BYTES} characters long`);
  }
  if (!metaAjv.validateSchema(withoutDialect(schema))) {
    const [first] = metaAjv.errors ?? [];
    const at = first?.instancePath === '' ? '' : ` at ${first?.instancePath}`;
    throw new UntrustedSchemaError(`is not a valid JSON Schema${at}: ${first?.message ?? 'unknown problem'}`);
  }
  return { usable: withoutDialect(schema), checks: countChecks(schema) };
}

/** The schema is interpreted as draft 2020-12 whatever `$schema` says. */
function withoutDialect(schema: AnySchemaObject): AnySchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema'));
}

function assertDepth(root: object): void {
  const pending: { value: unknown; depth: number }[] = [{ value: root, depth: 1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) {
      throw new UntrustedSchemaError(`must not be nested more than ${MAX_DEPTH} levels deep`);
    }
    for (const item of Object.values(value)) pending.push({ value: item, depth: depth + 1 });
  }
}

/**
 * Counts checks by following references like a validation. Rejects recursive references, and exponentially growing
 * ones.
 */
function countChecks(root: AnySchemaObject): Checks {
  const counted = new Map<object, Checks>();
  const open = new Set<object>();
  const count = (node: unknown, isMap = false): Checks => {
    if (typeof node !== 'object' || node === null) return { once: 0, repeated: 0 };
    const known = counted.get(node);
    if (known !== undefined) return known;
    if (open.has(node)) throw new UntrustedSchemaError('must not refer to itself');
    open.add(node);
    const checks = { once: 1, repeated: 0 };
    for (const [key, item] of Object.entries(node)) {
      if (!isMap) assertKeyword(node, key, item);
      const under =
        key === '$ref' && typeof item === 'string'
          ? count(definition(root, item))
          : count(item, !isMap && SCHEMA_MAPS.includes(key));
      if (REPEATING_KEYWORDS.includes(key)) checks.repeated += under.once;
      else checks.once += under.once;
      checks.repeated += under.repeated + (key === 'uniqueItems' && item === true ? UNIQUENESS_CHECKS : 0);
      if (!isMap && LISTING_KEYWORDS.includes(key)) checks.once += comparisonChecks(item);
      if (checks.once + checks.repeated > MAX_CHECKS) {
        throw new UntrustedSchemaError('is too large with its references resolved');
      }
    }
    open.delete(node);
    counted.set(node, checks);
    return checks;
  };
  return count(root);
}

/** Number of checks for a list of names or values, or for a map of lists of names. */
function comparisonChecks(item: unknown): number {
  const lists: unknown[] = isJsonObject(item) ? Object.values(item) : [item];
  const compared = lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
  return Math.ceil(compared / COMPARISONS_PER_CHECK);
}

function assertKeyword(node: object, key: string, item: unknown): void {
  if (key === ASYNC_KEYWORD || (REFUSED_KEYWORDS.includes(key) && typeof item === 'string')) {
    throw new UntrustedSchemaError(`must not use ${key}`);
  }
  if (key === 'nullable' && typeof item === 'boolean' && !('type' in node)) {
    throw new UntrustedSchemaError('must not use nullable without a type');
  }
  if (key === 'enum' && Array.isArray(item) && item.length === 0) {
    throw new UntrustedSchemaError('must not have an enum without values');
  }
  if (key === 'pattern' && typeof item === 'string') assertPattern(item);
  if (key === 'patternProperties' && isJsonObject(item)) Object.keys(item).forEach(assertPattern);
}

function definition(root: AnySchemaObject, reference: string): object {
  const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/([^/~%]+)$/u.exec(reference) ?? [];
  if (keyword === '') throw new UntrustedSchemaError('must refer to its own "#/$defs/…" only');
  const definitions: unknown = root[keyword];
  const found: unknown =
    isJsonObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (!isJsonObject(found))
    throw new UntrustedSchemaError(`refers to ${reference.slice(0, 100)}, which is not there`);
  return found;
}

function assertPattern(pattern: string): void {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new UntrustedSchemaError(`must not have patterns of more than ${MAX_PATTERN_LENGTH} characters`);
  }
  try {
    compileLinearPattern(pattern);
  } catch (thrown) {
    throw new UntrustedSchemaError(`has a pattern that can't be used: ${messageOf(thrown)}`);
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
