import formats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { AppError } from '../errors.ts';
import { hasMoreValuesThan } from './count-values.ts';
import { PATTERN_MESSAGE, PROJECT_KEYWORDS } from './keywords.ts';
import { similarName } from './similar-name.ts';

/** A problem of an input: its dotted path ('' for the whole input) and its description. */
export interface Issue {
  path: string;
  message: string;
}

/** An input that does not match its schema, with all issues that were found. */
export class ValidationError extends AppError {
  readonly issues: readonly Issue[];

  constructor(what: string, issues: readonly Issue[]) {
    const [first] = issues;
    const where = first && first.path !== '' ? `${first.path}: ` : '';
    super('validation_failed', `${what} is not valid: ${where}${first?.message ?? 'unknown problem'}`);
    this.issues = issues;
  }
}

export interface Validator<T> {
  /** All issues; empty if the value is valid. */
  issues(value: unknown): Issue[];
  /** Returns the typed value; throws a ValidationError with all issues. */
  parse(value: unknown): T;
}

/** A validator that is compiled at its first use. */
export interface DeferredValidator<T> extends Validator<T> {
  /** Compiles the fast validator; the one that finds all errors is compiled for the first invalid input. */
  compile(): void;
}

/** Validators that `takeDeferredValidators` has not returned. */
const deferred: DeferredValidator<unknown>[] = [];

/** Maximum number of reported issues per input. */
export const MAX_ISSUES = 50;
/** For inputs with more values, only the first issue is reported, because each value may cause many errors. */
const MAX_VALUES_FOR_ALL_ISSUES = 1000;

/**
 * TypeBox builds valid schemas, and strict mode rejects unknown keywords. Compiling the metaschema would be a fifth of
 * the processor time with which a process starts.
 */
const OWN_SCHEMAS = { meta: false, validateSchema: false };

/** End of the supported times. Leap seconds are rejected, because `Date` and databases do not support them. */
const YEAR_10000_MS = Date.UTC(10_000, 0);

const isDateTime = dateTimeCheck();

const stoppingEarly = newAjv(false);
const findingAll = newAjv(true);

/**
 * `what` names the input in messages: "request body", "query", "data message". Compiled at first use: there are
 * hundreds of schemas, and no process needs them all.
 */
export function compileValidator<S extends TSchema>(what: string, schema: S): DeferredValidator<Static<S>> {
  const quick = once(() => validatorOf<Static<S>>(what, stoppingEarly.compile(schema)));
  const full = once(() => validatorOf<Static<S>>(what, findingAll.compile(schema)));
  const issues = (value: unknown): Issue[] => {
    const found = quick().issues(value);
    if (found.length === 0 || hasMoreValuesThan(value, MAX_VALUES_FOR_ALL_ISSUES)) return found;
    return full().issues(value);
  };
  const validator: DeferredValidator<Static<S>> = {
    issues,
    parse(value) {
      const found = issues(value);
      if (found.length > 0) throw new ValidationError(what, found);
      return value as Static<S>;
    },
    compile() {
      // V8 translates the function at its first call, which takes some 50 ms for a large schema.
      quick().issues({});
    },
  };
  deferred.push(validator);
  return validator;
}

/** The validators that were created since the last call. */
export function takeDeferredValidators(): DeferredValidator<unknown>[] {
  return deferred.splice(0);
}

function once<T extends object>(make: () => T): () => T {
  let made: T | null = null;
  return () => (made ??= make());
}

function newAjv(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    strict: true,
    verbose: true,
    strictTypes: false,
    allowUnionTypes: true,
    useDefaults: false,
    ...OWN_SCHEMAS,
    code: { optimize: false },
  });
  ajv.addVocabulary([...PROJECT_KEYWORDS]);
  addCommonFormats(ajv);
  ajv.addFormat('date-time', (text: string) => isDateTime(text) && Date.parse(text) < YEAR_10000_MS);
  return ajv;
}

function dateTimeCheck(): (text: string) => boolean {
  const ajv = new Ajv2020(OWN_SCHEMAS);
  addCommonFormats(ajv);
  return ajv.compile({ type: 'string', format: 'date-time' });
}

export function addCommonFormats(ajv: Ajv2020): void {
  formats.default(ajv, ['uuid', 'date-time', 'date', 'time', 'uri', 'float', 'double', 'int32', 'binary']);
}

/** `what` names the input in messages. */
export function validatorOf<T>(what: string, validate: ValidateFunction): Validator<T> {
  const issuesOf = (value: unknown): Issue[] => {
    const result: unknown = validate(value);
    if (result === true) return [];
    if (result === false) return toIssues(validate.errors ?? []);
    // The schema makes Ajv return a promise; its rejection must be handled.
    Promise.resolve(result).catch(() => undefined);
    return [{ path: '', message: 'could not be validated' }];
  };
  return {
    issues: issuesOf,
    parse(value) {
      const issues = issuesOf(value);
      if (issues.length > 0) throw new ValidationError(what, issues);
      return value as T;
    },
  };
}

function toIssues(errors: readonly ErrorObject[]): Issue[] {
  const issues: Issue[] = [];
  const seen = new Set<string>();
  for (const error of withoutNullBranches(errors)) {
    const issue = toIssue(error);
    const key = `${issue.path}\n${issue.message}`;
    if (seen.has(key)) continue;
    seen.add(key);
    issues.push(issue);
    if (issues.length === MAX_ISSUES) break;
  }
  return issues;
}

/** Drops errors about null for values of nullable schemas that are not null. */
function withoutNullBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const nullable = errors.filter(({ keyword, schema }) => keyword === 'anyOf' && isNullable(schema));
  // There are few schema paths, whatever the number of values.
  const paths = [...new Set(nullable.map(({ schemaPath }) => schemaPath))];
  const isNoise = (error: ErrorObject): boolean =>
    (error.keyword === 'anyOf' && isNullable(error.schema)) ||
    (error.params['type'] === 'null' && paths.some((path) => error.schemaPath.startsWith(`${path}/`)));
  const left = errors.filter((error) => !isNoise(error));
  return left.length > 0 ? left : [...errors];
}

function isNullable(branches: unknown): boolean {
  if (!Array.isArray(branches) || branches.length !== 2) return false;
  return branches.some((branch: { type?: unknown } | null) => branch?.type === 'null');
}

function toIssue(error: ErrorObject): Issue {
  const params = error.params as Record<string, unknown>;
  const path = dotted(error.instancePath);
  const inside = (name: unknown): string => (path === '' ? String(name) : `${path}.${String(name)}`);
  switch (error.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return unknownField(error, inside);
    case 'required':
      return { path: inside(params['missingProperty']), message: 'is required' };
    case 'enum':
      return { path, message: `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}` };
    case 'const':
      return { path, message: `must be ${JSON.stringify(params['allowedValue'])}` };
    case 'type': {
      const form = textMessage(error);
      return {
        path,
        message: `must be ${typeNames(params['type'])}${form === undefined ? '' : `, and ${form}`}`,
      };
    }
    case 'format':
      return { path, message: textMessage(error) ?? error.message ?? 'is not valid' };
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'multipleOf':
      return { path, message: `${error.message ?? 'is not valid'} (got ${String(error.data)})` };
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
    case 'minProperties':
    case 'maxProperties':
      return { path, message: sizeMessage(error.keyword, Number(params['limit'])) };
    case 'uniqueItems':
      return { path, message: 'must not have duplicate items' };
    case 'anyOf':
      return { path, message: 'must match at least one of the allowed forms' };
    case 'oneOf':
      return { path, message: 'must match exactly one of the allowed forms' };
    case 'pattern':
      return { path, message: textMessage(error) ?? `must match the pattern ${String(params['pattern'])}` };
    default:
      return { path, message: error.message ?? 'is not valid' };
  }
}

/** Says which text the schema requires, such as a duration. */
function textMessage({ parentSchema }: ErrorObject): string | undefined {
  const { [PATTERN_MESSAGE]: message, format } = (parentSchema ?? {}) as {
    [PATTERN_MESSAGE]?: string;
    format?: string;
  };
  return message ?? FORMAT_MESSAGES[format ?? ''];
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

function typeNames(types: unknown): string {
  return [types]
    .flat()
    .flatMap((type) => String(type).split(','))
    .map((type) => TYPE_NAMES[type] ?? type)
    .join(' or ');
}

const FORMAT_MESSAGES: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  'date-time': 'must be a time such as 2026-03-02T12:00:00Z',
  date: 'must be a date such as 2026-03-02',
  time: 'must be a time of day such as 12:00:00Z',
  uri: 'must be a URI',
};

const SIZE_UNITS: Readonly<Record<string, string>> = {
  Length: 'character',
  Items: 'item',
  Properties: 'key',
};

function sizeMessage(keyword: string, limit: number): string {
  const unit = `${SIZE_UNITS[keyword.slice(3)] ?? 'part'}${limit === 1 ? '' : 's'}`;
  return `must have at ${keyword.startsWith('min') ? 'least' : 'most'} ${limit} ${unit}`;
}

function unknownField({ params, parentSchema }: ErrorObject, inside: (name: unknown) => string): Issue {
  const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
  const { properties } = parentSchema as { properties?: object };
  const meant = similarName(name, Object.keys(properties ?? {}));
  const message = 'is not a known field';
  return { path: inside(name), message: meant === null ? message : `${message}; did you mean ${meant}?` };
}

/** JSON pointer to dotted path: `/medium/serverWebSocket/0` → `medium.serverWebSocket.0`. */
function dotted(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}
