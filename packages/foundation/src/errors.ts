/**
 * Base of the errors this system raises itself. `code` is stable, snake_case and machine-readable;
 * `retryable` says whether the same request may succeed later without being changed.
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

/** An operation that took longer than its limit. */
export class TimeoutError extends AppError {
  constructor(what: string, limitMs: number) {
    super('timeout', `${what} took longer than ${limitMs} ms`, { retryable: true });
  }
}

/**
 * What was thrown, as an Error; JavaScript lets anything be thrown. An Error of another realm (under Jest: every one that
 * Node's own modules throw) is one too, although it is no `instanceof` ours.
 */
export function toError(thrown: unknown): Error {
  return Error.isError(thrown) ? thrown : new Error(String(thrown));
}

/** Marks a switch as exhaustive: the compiler refuses the call where a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`);
}
