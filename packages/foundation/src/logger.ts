import { pino, type ChildLoggerOptions, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { describeError, describeErrorWithoutContent } from './logged-error.ts';
import { currentLogFields } from './trace-context.ts';

/**
 * Structured logger. The message is static; values go in fields. What people said or dialled goes only under a
 * field named `pii`, which is removed unless the process was configured to log it. Errors go under `err`.
 */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(fields: Record<string, unknown>, options?: LogsWithoutContent): Logger;
};

type LogsWithoutContent = Pick<ChildLoggerOptions, 'redact' | 'serializers'>;

export interface LoggerOptions {
  service: string;
  level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  logPii: boolean;
}

/** Marks a logger, and its children, whose lines have their own trace fields. */
const OWN_TRACE = Symbol('own trace');

/** How much output waits for a slow reader. */
const MAX_WAITING_BYTES = 1024 * 1024;

const WITHOUT_PII = { paths: ['pii', '*.pii'], remove: true };

/** Writes JSON lines to standard output or `destination`, with the current trace if any. */
export function createLogger(options: LoggerOptions, destination?: DestinationStream): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: options.logPii ? [] : WITHOUT_PII,
    mixin: (_fields: object, _level: number, logger: object) =>
      OWN_TRACE in logger ? {} : currentLogFields(),
    serializers: { err: (thrown: unknown) => describeError(thrown) },
    depthLimit: 6,
    edgeLimit: 50,
  };
  const log: PinoLogger = pino(
    settings,
    destination ??
      standardOutput((lines) => log.warn({ lines }, 'dropped log lines; the output was not read in time')),
  );
  return log;
}

/** Logger for a call: its lines carry the call's trace, regardless of the request or timer that caused them. */
export function ofCall(log: Logger, call: { callId: string; traceId: string }): Logger {
  return Object.assign(log.child(call), { [OWN_TRACE]: true });
}

/**
 * Logger for confidential content: removes the field `pii` regardless of configuration, and logs errors with
 * type, code and stack only, because messages may quote the conversation.
 */
export function withoutContent(log: Logger): Logger {
  return log.child({}, { redact: WITHOUT_PII, serializers: { err: describeErrorWithoutContent } });
}

/**
 * Neither blocks nor throws: lines that a full disk, a closed pipe or a reader that has stopped does not take are
 * dropped. All others are written immediately, so that the last line before an exit is not lost. When the reader continues,
 * `onDropped` gets the number of lines that it missed.
 */
function standardOutput(onDropped: (lines: number) => void): DestinationStream {
  const { stdout } = process;
  let dropped = 0;
  stdout.on('error', () => undefined);
  stdout.on('drain', () => {
    const lines = dropped;
    dropped = 0;
    if (lines > 0) onDropped(lines);
  });
  return {
    write(line) {
      if (stdout.writableLength < MAX_WAITING_BYTES) stdout.write(line);
      else dropped += 1;
    },
  };
}

/** Logs nothing; for tests and tools. */
export const silentLogger: Logger = pino({ level: 'silent' });
