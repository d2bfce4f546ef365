/** A validation issue with its path: `callTemplate.vadSettings.turnEndpointDelay`. */
export interface Issue {
  path: string;
  message: string;
}

/** An error response of the API, or no response (`status` 0). */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: readonly Issue[];
  /** Delay before a retry according to the response; null if unspecified. */
  readonly retryAfterMs: number | null;

  constructor(problem: {
    status: number;
    code: string;
    detail: string;
    issues?: readonly Issue[];
    retryAfterMs?: number | null;
  }) {
    super(problem.detail);
    this.name = 'ApiProblem';
    this.status = problem.status;
    this.code = problem.code;
    this.issues = problem.issues ?? [];
    this.retryAfterMs = problem.retryAfterMs ?? null;
  }

  /** Whether the request may succeed if it is repeated. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

interface ErrorBody {
  detail?: string;
  code?: string;
  errors?: readonly Issue[];
}

export function problemOf(response: Response, body: unknown): ApiProblem {
  const { detail, code, errors }: ErrorBody = typeof body === 'object' && body !== null ? body : {};
  const seconds = Number(response.headers.get('Retry-After') ?? NaN);
  return new ApiProblem({
    status: response.status,
    code: code ?? 'unknown',
    detail: detail ?? `The service responded with status ${response.status}.`,
    ...(errors && { issues: errors }),
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null,
  });
}

export const unreachable = (): ApiProblem =>
  new ApiProblem({
    status: 0,
    code: 'unreachable',
    detail: 'The service cannot be reached. Check the connection, then try again.',
  });
