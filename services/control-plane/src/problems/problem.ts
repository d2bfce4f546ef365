import { AppError } from '@calls/foundation/errors';
import type { Issue } from '@calls/foundation/schema/validator';
import { isUniqueViolation } from '@calls/store/store-error';

/** An error response, thrown where the error is detected. */
export class HttpProblem extends AppError {
  readonly status: number;
  readonly issues: readonly Issue[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    detail: string,
    options: { issues?: readonly Issue[]; headers?: Record<string, string> } = {},
  ) {
    super(code, detail, { retryable: status === 503 || status === 429 });
    this.status = status;
    this.issues = options.issues;
    this.headers = options.headers ?? {};
  }
}

const RETRY_AFTER_SECONDS = 2;

export function invalidRequest(what: string, issues: readonly Issue[]): HttpProblem {
  const [first] = issues;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
  const problem = `${first?.message ?? 'unknown problem'}${more}`;
  const detail = `The ${what} is not valid: ${where}${problem}${problem.endsWith('?') ? '' : '.'}`;
  return new HttpProblem(400, 'validation_failed', detail, { issues });
}

/** Missing resources and resources of other accounts get the same response. */
export function notFound(what: string): HttpProblem {
  return new HttpProblem(404, 'not_found', `${what[0]?.toUpperCase() ?? ''}${what.slice(1)} not found.`);
}

/** The row, or 404 if it is undefined, null or false. */
export function orNotFound<T>(what: string, found: T | undefined | null | false): T {
  if (found === undefined || found === null || found === false) throw notFound(what);
  return found;
}

/** 409 on a unique violation. */
export async function orConflict<T>(detail: string, writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (thrown) {
    if (isUniqueViolation(thrown)) throw new HttpProblem(409, 'conflict', detail);
    throw thrown;
  }
}

export function unauthorized(detail = 'A valid API key is required in the X-API-Key header.'): HttpProblem {
  return new HttpProblem(401, 'unauthorized', detail);
}

/** `code` names the limit: `api_rate`, `call_creation_rate`, `concurrency` or `throttle`. */
export function limited(code: string, detail: string, retryAfterMs: number): HttpProblem {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new HttpProblem(429, code, detail, { headers: { 'Retry-After': String(retryAfterSeconds) } });
}

export function unsupportedEncoding(): HttpProblem {
  const detail =
    'The encoding of the request body is not supported: send JSON as UTF-8, and batches without Content-Encoding.';
  return new HttpProblem(415, 'unsupported_media_type', detail);
}

const MEBIBYTE = 1024 * 1024;

export function bodyTooLarge(limitBytes: number): HttpProblem {
  return new HttpProblem(413, 'too_large', `The request body must be at most ${sizeText(limitBytes)}.`);
}

/** Returns the problem of a form that is too large. Its size is mostly the size of its file. */
export function uploadTooLarge(limitBytes: number): HttpProblem {
  const message = `must be at most ${sizeText(limitBytes)}, with the rest of the form`;
  return new HttpProblem(413, 'too_large', `The field file ${message}.`, {
    issues: [{ path: 'file', message }],
  });
}

function sizeText(bytes: number): string {
  return bytes % MEBIBYTE === 0 ? `${bytes / MEBIBYTE} MiB` : `${bytes} bytes`;
}

export function unavailable(): HttpProblem {
  return new HttpProblem(503, 'unavailable', 'The service is temporarily unavailable; try again.', {
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  });
}
