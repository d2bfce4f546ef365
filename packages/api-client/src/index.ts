import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './generated/api.ts';

export type { components, operations, paths } from './generated/api.ts';

/** The schemas of the API: `Schemas['Call']`, `Schemas['StartCallRequest']`. */
export type Schemas = components['schemas'];

export type ApiClient = Client<paths>;

type Send = (request: Request) => Promise<Response>;

/**
 * A typed client of the REST API: `client.POST('/api/calls', { body })` returns `data` or `error`. Does not throw for
 * error responses. Throws if a proxy redirects requests, because `baseUrl` is not the service's address.
 */
export function createApiClient(
  options: { baseUrl: string; fetch?: Send } & (
    | { apiKey: string }
    | { headers: Readonly<Record<string, string>> }
  ),
): ApiClient {
  const { baseUrl, fetch: send = fetch } = options;
  if (!('apiKey' in options)) return createClient<paths>({ baseUrl, headers: options.headers, fetch: send });
  const headers = { 'X-API-Key': options.apiKey };
  const once: Send = async (request) => afterRedirect(request, await send(request), send);
  return createClient<paths>({ baseUrl, headers, redirect: 'manual', fetch: once });
}

/**
 * The API redirects only downloads, with 302: those are followed without the API key. Redirects of proxies are not: a POST
 * would become a GET with another meaning.
 */
async function afterRedirect(request: Request, response: Response, send: Send): Promise<Response> {
  const { status, headers, type } = response;
  const location = headers.get('location');
  const isGet = request.method === 'GET';
  // Browsers do not show where a redirect leads.
  const isHidden = type === 'opaqueredirect';
  if (!isHidden && (location === null || status < 300 || status > 399)) return response;
  if (isHidden && isGet) return send(new Request(request, { redirect: 'follow' }));
  if (location !== null && status === 302 && isGet) {
    return send(new Request(new URL(location, request.url), { signal: request.signal }));
  }
  throw new Error(
    `${request.method} ${request.url}: the server redirects to ${location ?? 'another URL'}: use its address as baseUrl`,
  );
}
