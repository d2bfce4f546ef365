import { InvalidVariableError, type ValuesOf, type Variable, type VariableTable } from './variable.ts';

/** Lists the issues of all variables, one per variable, so that an operator can fix them together. */
export class ConfigError extends Error {
  readonly issues: readonly string[];

  constructor(issues: readonly string[]) {
    super(`bad configuration:\n${issues.map((issue) => `  ${issue}`).join('\n')}`);
    this.name = 'ConfigError';
    this.issues = issues;
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads declared environment variables. An empty variable counts as unset. Issues are collected, one per variable; `finish`
 * throws them together. Only `main.ts` files and launchers pass `process.env`.
 */
export class EnvReader {
  readonly #env: Environment;
  readonly #issues = new Set<string>();
  readonly #declared = new Map<string, Variable<unknown>>();

  constructor(env: Environment) {
    this.#env = env;
  }

  /** The declarations of all variables read so far, by name. */
  get declared(): ReadonlyMap<string, Variable<unknown>> {
    return this.#declared;
  }

  /** Declares variables that are read under conditions only. */
  declare(table: VariableTable): void {
    for (const [name, variable] of Object.entries(table)) this.#declared.set(name, variable);
  }

  read<Table extends VariableTable>(table: Table): ValuesOf<Table> {
    const values = Object.entries(table).map(([name, variable]) => [name, this.value(name, variable)]);
    return Object.fromEntries(values) as ValuesOf<Table>;
  }

  value<Value>(name: string, variable: Variable<Value>): Value {
    this.#declared.set(name, variable);
    const text = this.#env[name]?.trim() ?? '';
    if (text === '') {
      if (variable.isRequired) this.addIssue(`${name} is required`);
      return variable.fallback;
    }
    try {
      return variable.parse(text);
    } catch (thrown) {
      if (!(thrown instanceof InvalidVariableError)) throw thrown;
      this.addIssue(`${name} ${thrown.message}`);
      return variable.placeholder;
    }
  }

  addIssue(message: string): void {
    this.#issues.add(message);
  }

  /** Throws a ConfigError if any read so far found an issue. */
  finish(): void {
    if (this.#issues.size > 0) throw new ConfigError([...this.#issues]);
  }
}

/** Reads the configuration of a process; throws a ConfigError that lists every issue. */
export function readEnvironment<Config>(env: Environment, read: (env: EnvReader) => Config): Config {
  const reader = new EnvReader(env);
  const config = read(reader);
  reader.finish();
  return config;
}
