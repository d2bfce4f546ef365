import { pino, type Logger as PinoLogger } from 'pino';

/**
 * Structured logger. The message is static; values go in fields. What people said or dialled goes only under a
 * field named `pii`, which is removed unless the process was configured to log it.
 */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(fields: Record<string, unknown>): Logger;
};

export interface LoggerOptions {
  service: string;
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  logPii: boolean;
}

export function createLogger(options: LoggerOptions): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: options.logPii ? [] : { paths: ['pii', '*.pii'], remove: true },
    depthLimit: 6,
    edgeLimit: 50,
  };
  return pino(settings, standardOutput());
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
