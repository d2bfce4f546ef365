import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { addCommonFormats, validatorOf, type Validator } from './validator.ts';

const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_DEPTH = 24;
/** Subschemas that one value may have to be checked against, references followed. */
const MAX_CHECKS = 5000;
const MAX_PATTERN_LENGTH = 512;

/** A JSON Schema (draft 2020-12) from outside that can't be used; the message says why. */
export class UntrustedSchemaError extends Error {}

/** Keywords that would let a schema reach beyond itself, or change what its references mean. */
const REFUSED_KEYWORDS = ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$vocabulary'];

const lenient = { strict: false, logger: false, allErrors: true } as const;
/** Knows what a JSON Schema looks like; compiles none of them. */
const metaAjv = new Ajv2020(lenient);

/**
 * What keeps a JSON Schema of a customer's from being used, or null. It must be self-contained (`$ref` to its own
 * `$defs` only, and to none that it is in), of bounded size, and its patterns must be free of look-around and backreferences.
 */
export function untrustedSchemaFault(schema: unknown): string | null {
  try {
    check(schema);
    return null;
  } catch (thrown) {
    if (thrown instanceof UntrustedSchemaError) return thrown.message;
    throw thrown;
  }
}

/** `what` names the input in messages. Throws an UntrustedSchemaError for a schema that has a fault. */
export function compileUntrustedSchema(what: string, schema: unknown): Validator<unknown> {
  const checked = check(schema);
  // An instance keeps what it compiled for as long as it lives.
  const ajv = new Ajv2020({
    ...lenient,
    verbose: true,
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    // In linear time, whatever the pattern: nobody's schema may hold up everybody's process.
    code: { regExp: Object.assign(linearRegExp, { code: 'linearRegExp' }) },
  });
  addCommonFormats(ajv);
  try {
    return validatorOf<unknown>(what, ajv.compile(checked));
  } catch (thrown) {
    throw new UntrustedSchemaError(`is not a JSON Schema that can be used: ${messageOf(thrown)}`);
  }
}

function check(schema: unknown): AnySchemaObject {
  if (!isObject(schema)) throw new UntrustedSchemaError('must be a JSON Schema, an object');
  assertDepth(schema);
  if (JSON.stringify(schema).length > MAX_SCHEMA_BYTES) {
    throw new UntrustedSchemaError(`must be at most ${MAX_SCHEMA_BYTES} characters long`);
  }
  if (!metaAjv.validateSchema(withoutDialect(schema))) {
    const [first] = metaAjv.errors ?? [];
    const at = first?.instancePath === '' ? '' : ` at ${first?.instancePath}`;
    throw new UntrustedSchemaError(`is not a valid JSON Schema${at}: ${first?.message ?? 'unknown fault'}`);
  }
  countChecks(schema);
  return withoutDialect(schema);
}

/** Read as draft 2020-12 whatever it says it is. */
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
 * Follows references as a validation would, and counts. References that meet themselves again never end, and parts that
 * refer twice to parts that refer twice… take for ever.
 */
function countChecks(root: AnySchemaObject): void {
  const counted = new Map<object, number>();
  const open = new Set<object>();
  const count = (node: unknown): number => {
    if (typeof node !== 'object' || node === null) return 0;
    const known = counted.get(node);
    if (known !== undefined) return known;
    if (open.has(node)) throw new UntrustedSchemaError('must not refer to itself');
    open.add(node);
    let checks = 1;
    for (const [key, item] of Object.entries(node)) {
      if (REFUSED_KEYWORDS.includes(key) && typeof item === 'string') {
        throw new UntrustedSchemaError(`must not use ${key}`);
      }
      if (key === 'nullable' && typeof item === 'boolean' && !('type' in node)) {
        throw new UntrustedSchemaError('must not use nullable without a type');
      }
      if (key === 'pattern' && typeof item === 'string') assertPattern(item);
      if (key === 'patternProperties' && isObject(item)) Object.keys(item).forEach(assertPattern);
      checks += key === '$ref' && typeof item === 'string' ? count(definition(root, item)) : count(item);
      if (checks > MAX_CHECKS) throw new UntrustedSchemaError('is too large with its references resolved');
    }
    open.delete(node);
    counted.set(node, checks);
    return checks;
  };
  count(root);
}

function definition(root: AnySchemaObject, reference: string): object {
  const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/([^/~%]+)$/u.exec(reference) ?? [];
  if (keyword === '') throw new UntrustedSchemaError('must refer to its own "#/$defs/…" only');
  const definitions: unknown = root[keyword];
  const found: unknown =
    isObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (!isObject(found))
    throw new UntrustedSchemaError(`refers to ${reference.slice(0, 100)}, which is not there`);
  return found;
}

function isObject(value: unknown): value is AnySchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function assertPattern(pattern: string): void {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new UntrustedSchemaError(`must not have patterns of more than ${MAX_PATTERN_LENGTH} characters`);
  }
  try {
    linearRegExp(pattern);
  } catch (thrown) {
    throw new UntrustedSchemaError(`has a pattern that can't be used: ${messageOf(thrown)}`);
  }
}

/** The text of it is what a validator tells patterns apart by. */
function linearRegExp(pattern: string): { test(text: string): boolean; toString(): string } {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => compiled.test(text), toString: () => pattern };
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
