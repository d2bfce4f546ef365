import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './generated/api.ts';

export type { components, operations, paths } from './generated/api.ts';

/** What the API calls things: `Schemas['Call']`, `Schemas['StartCallRequest']`. */
export type Schemas = components['schemas'];

export type ApiClient = Client<paths>;

/**
 * A client of the REST API, typed by its OpenAPI description: `client.POST('/api/calls', { body })` answers `data` or
 * `error`. It doesn't throw for answers that aren't a success.
 */
export function createApiClient(
  options: { baseUrl: string } & ({ apiKey: string } | { headers: Readonly<Record<string, string>> }),
): ApiClient {
  const headers = 'apiKey' in options ? { 'X-API-Key': options.apiKey } : options.headers;
  return createClient<paths>({ baseUrl: options.baseUrl, headers });
}
