import { setTimeout as after } from 'node:timers/promises';
import type { Call } from '@calls/api-contract/rest/call';

const REQUEST_LIMIT_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1000;

/** Statuses that the API may return while processes or servers are down. */
const RETRYABLE_STATUSES = new Set([429, 503]);

/** Statistics of all requests. */
export class ResponseStatistics {
  /** Number of responses by status; `no answer` if the connection broke or timed out. */
  readonly byStatus = new Map<string, number>();
  /** Responses that no injected fault explains. */
  readonly errors: string[] = [];

  count(what: string): void {
    this.byStatus.set(what, (this.byStatus.get(what) ?? 0) + 1);
  }
}

/** A REST client that retries, as a customer's program should. */
export class RetryingApi {
  readonly #statistics: ResponseStatistics;
  readonly #apiUrl: string;
  readonly #key: string;

  constructor(apiUrl: string, key: string, answers: ResponseStatistics) {
    this.#apiUrl = apiUrl;
    this.#key = key;
    this.#statistics = answers;
  }

  /** Retries until the call is created; null if `signal` aborts first. */
  async createCall(body: object, signal: AbortSignal): Promise<Call | null> {
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      const response = await this.request('POST', '/api/calls', body);
      if (response?.status === 201) return response.body as Call;
      await after(pauseMs);
    }
    return null;
  }

  /** Null if there was no response. */
  async request(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: unknown } | null> {
    try {
      const response = await fetch(new URL(path, this.#apiUrl), {
        method,
        // A new connection for each request: the kernel distributes them over the control-planes.
        headers: { 'x-api-key': this.#key, 'content-type': 'application/json', connection: 'close' },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
      });
      const text = await response.text();
      this.#statistics.count(String(response.status));
      const { status } = response;
      const isError = status >= 500 && !RETRYABLE_STATUSES.has(status);
      if (isError)
        this.#statistics.errors.push(`${method} ${path} failed with ${status}: ${text.slice(0, 300)}`);
      return { status, body: text === '' ? null : (JSON.parse(text) as unknown) };
    } catch {
      this.#statistics.count('no answer');
      return null;
    }
  }
}
