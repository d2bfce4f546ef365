/** Minimum length of a configured secret. */
export const MIN_SECRET_LENGTH = 16;

/** Includes both ports. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** The declaration of an environment variable. The configuration reference has a row with these texts (Markdown). */
export interface Variable<Value> {
  readonly meaning: string;
  /** What applies if the variable is unset; `required` if it has to be set. */
  readonly defaultText: string;
  /** Empty if any value of the type is allowed. */
  readonly bounds: string;
  readonly isRequired: boolean;
  /** The value of a variable that is unset. */
  readonly fallback: Value;
  /** The value until `finish` reports that a variable is invalid. */
  readonly placeholder: Value;
  /** Throws an InvalidVariableError. */
  readonly parse: (text: string) => Value;
}

/** The message continues after the variable's name, as in `must be true or false`. */
export class InvalidVariableError extends Error {}

/** Variables by name. */
export type VariableTable = Readonly<Record<string, Variable<unknown>>>;

/** The values of a table's variables. */
export type ValuesOf<Table extends VariableTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Variable<infer Value> ? Value : never;
};

/**
 * `default`: the value if the variable is unset. `unset`: the value is null then, and this text says what applies. Neither: the
 * variable is required.
 */
type Presence<Value> = { default: Value; unset?: never } | { unset: string; default?: never } | Required;
interface Required {
  default?: never;
  unset?: never;
}
type ValueOf<Value, P> = [P] extends [{ unset: string }] ? Value | null : Value;

interface Described {
  /** One line for operators. */
  meaning: string;
}

function declare<Value, P extends Presence<Value>>(
  { meaning, default: fallback, unset }: Described & P,
  type: {
    parse: (text: string) => Value;
    placeholder: Value;
    bounds?: string;
    /** Shows a default. */
    show: (value: Value) => string;
  },
): Variable<ValueOf<Value, P>> {
  const isRequired = fallback === undefined && unset === undefined;
  const value = fallback ?? (isRequired ? type.placeholder : null);
  const variable: Variable<Value | null> = {
    meaning,
    defaultText: fallback === undefined ? (unset ?? 'required') : type.show(fallback),
    bounds: type.bounds ?? '',
    isRequired,
    fallback: value,
    placeholder: type.placeholder,
    parse: type.parse,
  };
  // With `unset` the value may be null, otherwise it is not.
  return variable as Variable<ValueOf<Value, P>>;
}

const grouped = (value: number): string => value.toLocaleString('en-US');
const code = (text: string): string => (text === '' ? 'none' : `\`${text}\``);

export function text<P extends Presence<string>>(options: Described & P): Variable<ValueOf<string, P>> {
  return declare(options, { parse: (value) => value, placeholder: '', show: code });
}

/**
 * Declares a variable with its own format. `parse` throws an InvalidVariableError. `defaultText` describes the default.
 */
export function parsed<Value, P extends Presence<Value>>(
  options: Described & P & { parse: (text: string) => Value; placeholder: Value; defaultText?: string },
): Variable<ValueOf<Value, P>> {
  const { parse, placeholder, defaultText = '' } = options;
  return declare<Value, P>(options, { parse, placeholder, show: () => defaultText });
}

export function integer<P extends Presence<number>>(
  options: Described & { min: number; max: number } & P,
): Variable<ValueOf<number, P>> {
  const { min, max } = options;
  return declare(options, {
    parse: (value) => {
      const number = Number(value);
      if (Number.isInteger(number) && number >= min && number <= max) return number;
      throw new InvalidVariableError(`must be a whole number from ${min} to ${max}, not "${value}"`);
    },
    placeholder: min,
    bounds: `${grouped(min)} to ${grouped(max)}`,
    show: String,
  });
}

/** UDP or TCP ports from the first to the last, as in `20000-21999`; none of those that need privileges. */
export function portRange(options: Described & { default: PortRange }): Variable<PortRange> {
  const show = ({ first, last }: PortRange): string => `${first}-${last}`;
  return declare<PortRange, { default: PortRange }>(options, {
    parse: (value) => {
      const [first = 0, last = 0] = /^\d{1,5}-\d{1,5}$/u.test(value) ? value.split('-').map(Number) : [];
      if (first >= 1024 && first < last && last <= 65_535) return { first, last };
      const sample = show(options.default);
      throw new InvalidVariableError(`must be two ports from 1024 on, like ${sample}, not "${value}"`);
    },
    placeholder: options.default,
    show,
  });
}

export function boolean<P extends Presence<boolean>>(options: Described & P): Variable<ValueOf<boolean, P>> {
  return declare(options, {
    parse: (value) => {
      if (value === 'true' || value === '1') return true;
      if (value === 'false' || value === '0') return false;
      throw new InvalidVariableError(`must be true or false, not "${value}"`);
    },
    placeholder: false,
    show: String,
  });
}

export function choice<const Value extends string, P extends Presence<Value>>(
  options: Described & { values: readonly [Value, ...Value[]] } & P,
): Variable<ValueOf<Value, P>> {
  const { values } = options;
  return declare<Value, P>(options, {
    parse: (given) => {
      const match = values.find((value) => value === given);
      if (match !== undefined) return match;
      throw new InvalidVariableError(`must be one of ${values.join(', ')}, not "${given}"`);
    },
    placeholder: values[0],
    show: code,
  });
}

/** An absolute URL with one of the given protocols (written with the colon, as in `http:`). */
export function url<P extends Presence<string>>(
  options: Described & { protocols: readonly string[] } & P,
): Variable<ValueOf<string, P>> {
  const { protocols } = options;
  return declare(options, {
    parse: (value) => {
      if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
      throw new InvalidVariableError(`must be a URL that starts with ${protocols.join(' or ')}`);
    },
    placeholder: '',
    show: code,
  });
}

/**
 * Where clients reach a service: a URL without credentials, parameters and, unless `mayHavePath`, a path. The value has no
 * slash at its end.
 */
export function publicUrl<P extends Presence<string>>(
  options: Described & { protocols: readonly string[]; mayHavePath: boolean } & P,
): Variable<ValueOf<string, P>> {
  const { protocols, mayHavePath } = options;
  const { parse } = url({ protocols, meaning: options.meaning });
  return declare(options, {
    parse: (value) => {
      const { username, password, search, hash, pathname } = new URL(parse(value));
      if (`${username}${password}${search}${hash}` !== '')
        throw new InvalidVariableError('must have no user name, password, query or fragment');
      if (!mayHavePath && pathname !== '/')
        throw new InvalidVariableError(`must have no path, not "${pathname}"`);
      return value.replace(/[/?#]+$/u, '');
    },
    placeholder: '',
    show: code,
  });
}

/** Comma-separated secrets, newest first: the first is used for new data, all are accepted. */
export function secrets(options: Described): Variable<readonly string[]> {
  return declare<readonly string[], Required>(options, {
    parse: (value) => {
      const all = value.split(',').map((secret) => secret.trim());
      if (all.every((secret) => secret.length >= MIN_SECRET_LENGTH)) return all;
      throw new InvalidVariableError(
        `must have at least ${MIN_SECRET_LENGTH} characters in each of its comma-separated secrets`,
      );
    },
    placeholder: [],
    show: () => '',
  });
}

/** The same variable for a process with narrower bounds. */
export function within({ fallback, meaning }: Variable<number>, min: number, max: number): Variable<number> {
  return integer({ default: fallback, min, max, meaning });
}

/** The same variable for a process that does not require it. `unset` says what applies then. */
export function optional<Value>(variable: Variable<Value>, unset: string): Variable<Value | null> {
  return { ...variable, defaultText: unset, isRequired: false, fallback: null };
}
