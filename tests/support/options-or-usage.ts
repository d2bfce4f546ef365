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
    const { message } = toError(thrown);
    process.stderr.write(message.includes('usage: ') ? `${message}\n` : `${message}\n${usage}\n`);
    process.exit(2);
  }
}
