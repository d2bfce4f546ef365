import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './generated/admin-api.ts';

/** The schemas of the admin API. */
export type AdminSchemas = components['schemas'];

export type AdminClient = Client<paths>;

/** A typed client of the admin API. Each request is aborted after `requestLimitMs`. */
export function createAdminClient(options: {
  baseUrl: string;
  token: string;
  requestLimitMs: number;
}): AdminClient {
  const { baseUrl, token, requestLimitMs } = options;
  return createClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${token}` },
    fetch: (request) => fetch(request, { signal: AbortSignal.timeout(requestLimitMs) }),
  });
}
