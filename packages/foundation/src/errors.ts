/**
 * Base class of the system's own errors. `code` is stable, snake_case and machine-readable. `retryable`: the same
 * request may succeed later.
 */
export class AppError extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(code: string, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

/** An operation exceeded its time limit. */
export class TimeoutError extends AppError {
  constructor(what: string, limitMs: number) {
    super('timeout', `${what} took longer than ${limitMs} ms`, { retryable: true });
  }
}

/**
 * Converts a thrown value to an Error. Errors of other realms (under Jest: those thrown by Node's modules) are
 * recognized, although `instanceof` fails.
 */
export function toError(thrown: unknown): Error {
  return Error.isError(thrown) ? thrown : new Error(String(thrown));
}

/** The messages of an error and of its causes, each once. */
export function reasonsOf(thrown: unknown): string {
  const error = toError(thrown);
  const { message, cause, name } = error;
  // An AggregateError of several addresses or servers.
  if ('errors' in error && Array.isArray(error.errors))
    return [...new Set(error.errors.map(reasonsOf))].join('; ') || name;
  const reason = message === '' ? name : message;
  const causes = cause === undefined ? '' : reasonsOf(cause);
  return reason.includes(causes) ? reason : `${reason}: ${causes}`;
}

/** Marks a switch as exhaustive: the compiler reports missing cases. */
export function unreachable(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`);
}
