import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { describeError } from './logged-error.ts';

/**
 * Structured logger. The message is static; values go in fields. What people said or dialled goes only under a
 * field named `pii`, which is removed unless the process was configured to log it. Errors go under `err`.
 */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(fields: Record<string, unknown>): Logger;
};

export interface LoggerOptions {
  service: string;
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  logPii: boolean;
}

/** Writes lines of JSON to standard output, or to `destination`. */
export function createLogger(
  options: LoggerOptions,
  destination: DestinationStream = standardOutput(),
): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: options.logPii ? [] : { paths: ['pii', '*.pii'], remove: true },
    serializers: { err: (thrown: unknown) => describeError(thrown) },
    depthLimit: 6,
    edgeLimit: 50,
  };
  return pino(settings, destination);
}

/**
 * Written at once: the last line before an exit is not lost, and an exit doesn't wait for a reader that is gone (Pino's
 * asynchronous destination then tries to flush for ever).
 */
function standardOutput(): ReturnType<typeof pino.destination> {
  return pino.destination({ fd: 1, sync: true });
}

/** Logs nothing; for tests and tools. */
export const silentLogger: Logger = pino({ level: 'silent' });
