/** Lists the issues of all variables, one per variable, so that an operator can fix them together. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`bad configuration:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Minimum length of a configured secret. */
export const MIN_SECRET_LENGTH = 16;

/** Both included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Typed reads of environment variables. An empty variable counts as unset. Issues are collected, one per
 * variable; `finish` throws them together. Only `main.ts` files and launchers pass `process.env`.
 */
export class EnvReader {
  readonly #env: Environment;
  readonly #faults = new Set<string>();

  constructor(env: Environment) {
    this.#env = env;
  }

  optional(name: string): string | undefined {
    const value = this.#env[name]?.trim();
    return value === '' ? undefined : value;
  }

  string(name: string, fallback?: string): string {
    const value = this.optional(name) ?? fallback;
    if (value === undefined) this.#faults.add(`${name} is required`);
    return value ?? '';
  }

  integer(name: string, options: { fallback?: number; min: number; max: number }): number {
    const text = this.optional(name);
    if (text === undefined) {
      if (options.fallback === undefined) this.#faults.add(`${name} is required`);
      return options.fallback ?? options.min;
    }
    const value = Number(text);
    if (!Number.isInteger(value) || value < options.min || value > options.max) {
      this.#faults.add(`${name} must be a whole number from ${options.min} to ${options.max}, not "${text}"`);
      return options.fallback ?? options.min;
    }
    return value;
  }

  /** UDP or TCP ports from the first to the last, as in `20000-21999`; none of those that need privileges. */
  portRange(name: string, fallback: PortRange): PortRange {
    const text = this.optional(name);
    if (text === undefined) return fallback;
    const [first = 0, last = 0] = /^\d{1,5}-\d{1,5}$/u.test(text) ? text.split('-').map(Number) : [];
    if (first >= 1024 && first < last && last <= 65_535) return { first, last };
    this.#faults.add(
      `${name} must be two ports from 1024 on, like ${fallback.first}-${fallback.last}, not "${text}"`,
    );
    return fallback;
  }

  boolean(name: string, fallback: boolean): boolean {
    const text = this.optional(name);
    if (text === undefined) return fallback;
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
    this.#faults.add(`${name} must be true or false, not "${text}"`);
    return fallback;
  }

  oneOf<const T extends string>(name: string, values: readonly T[], fallback: T): T {
    const text = this.optional(name);
    if (text === undefined) return fallback;
    const match = values.find((value) => value === text);
    if (match === undefined) this.#faults.add(`${name} must be one of ${values.join(', ')}, not "${text}"`);
    return match ?? fallback;
  }

  /** An absolute URL with one of the given protocols (written with the colon, as in `http:`). */
  url(name: string, protocols: readonly string[], fallback?: string): string {
    const text = this.string(name, fallback);
    if (text !== '' && !(URL.canParse(text) && protocols.includes(new URL(text).protocol))) {
      this.#faults.add(`${name} must be a URL that starts with ${protocols.join(' or ')}`);
    }
    return text;
  }

  /**
   * Comma-separated secrets, newest first: the first is used for new data, all are accepted. Empty if there
   * is an issue.
   */
  secrets(name: string): string[] {
    const secrets = this.string(name).split(',');
    const trimmed = secrets.map((secret) => secret.trim());
    if (trimmed.every((secret) => secret.length >= MIN_SECRET_LENGTH)) return trimmed;
    if (this.optional(name) !== undefined) {
      this.#faults.add(
        `${name} must have at least ${MIN_SECRET_LENGTH} characters in each of its comma-separated secrets`,
      );
    }
    return [];
  }

  fault(message: string): void {
    this.#faults.add(message);
  }

  /** Throws a ConfigError if any read so far found an issue. */
  finish(): void {
    if (this.#faults.size > 0) throw new ConfigError([...this.#faults]);
  }
}
