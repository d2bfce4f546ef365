import { toError } from '@calls/foundation/errors';

/** The options of a command. Prints the usage and ends the process for --help, and for options that `read` rejects. */
export function optionsOrUsage<T>(read: () => T, usage: string): T {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return read();
  } catch (thrown) {
    process.stderr.write(`${toError(thrown).message}\n${usage}\n`);
    process.exit(2);
  }
}

/** Parses an option. Throws an Error that describes the invalid value. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}, not "${text}"`);
}

/** Parses an option with one of these values. Throws an Error that describes the invalid value. */
export function oneOf<T extends string>(name: string, known: readonly T[], text: string): T {
  const found = known.find((each) => each === text);
  if (found === undefined) throw new Error(`--${name} must be one of ${known.join(', ')}, not "${text}"`);
  return found;
}
