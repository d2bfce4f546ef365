/** The address and key of a provider. */
export interface HttpEndpoint {
  /** Absolute URL including the version: `https://host/v1`. A trailing slash is allowed. */
  baseUrl: string;
  apiKey: string | null;
}

export function endpointUrl(endpoint: HttpEndpoint, path: string): URL {
  return new URL(`${endpoint.baseUrl.replace(/\/+$/, '')}${path}`);
}

export function authorization(endpoint: HttpEndpoint): Record<string, string> {
  return endpoint.apiKey === null ? {} : { authorization: `Bearer ${endpoint.apiKey}` };
}
