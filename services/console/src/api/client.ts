import { createApiClient } from '@calls/api-client';
import { ApiProblem, problemOf, unreachable } from './api-problem.ts';
import { KnownResponses } from './known-responses.ts';

export type { Schemas } from '@calls/api-client';

/** The session cookie is only accepted with this header, which other sites cannot send. */
export const CONSOLE_HEADERS = { 'X-Console': '1' };

export const knownResponses = new KnownResponses();

/** The REST API, authenticated as the signed-in account. */
export const api = createApiClient({ baseUrl: '', headers: CONSOLE_HEADERS, fetch: knownResponses.fetch });

type ApiResult = { data?: unknown; error?: unknown; response: Response };
type DataOf<A extends ApiResult> = Exclude<A['data'], undefined>;

/** The body of a response: `await dataOf(api.GET('/api/agents'))`. Throws an ApiProblem unless it is a success. */
export async function dataOf<A extends ApiResult>(request: Promise<A>): Promise<DataOf<A>> {
  const result = await request.catch((thrown: unknown) => {
    throw thrown instanceof DOMException ? thrown : unreachable();
  });
  if (!result.response.ok) throw problemOf(result.response, result.error);
  return result.data as DataOf<A>;
}

/** Sends a request that the typed client cannot make. The body is sent as JSON unless it is a form. */
export async function fetchJson(
  path: string,
  init: { method?: string; body?: unknown } = {},
): Promise<unknown> {
  const response = await fetchResponse(path, init);
  const content: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw problemOf(response, content);
  return content;
}

/** Resolves with any response of the service. */
export async function fetchResponse(
  path: string,
  { method = 'GET', body }: { method?: string; body?: unknown },
): Promise<Response> {
  const isForm = body instanceof FormData;
  try {
    return await fetch(path, {
      method,
      headers: {
        ...CONSOLE_HEADERS,
        ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
  } catch {
    throw unreachable();
  }
}

export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiProblem({ status: 0, code: 'unknown', detail });
}
