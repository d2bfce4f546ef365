import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './generated/api.ts';

export type { components, operations, paths } from './generated/api.ts';

/** The schemas of the API: `Schemas['Call']`, `Schemas['StartCallRequest']`. */
export type Schemas = components['schemas'];

export type ApiClient = Client<paths>;

/**
 * A typed client of the REST API: `client.POST('/api/calls', { body })` returns `data` or `error`. Does not throw for
 * error responses.
 */
export function createApiClient(
  options: { baseUrl: string; fetch?: (request: Request) => Promise<Response> } & (
    | { apiKey: string }
    | { headers: Readonly<Record<string, string>> }
  ),
): ApiClient {
  const headers = 'apiKey' in options ? { 'X-API-Key': options.apiKey } : options.headers;
  const { baseUrl, fetch } = options;
  return createClient<paths>({ baseUrl, headers, ...(fetch && { fetch }) });
}
