/** Connection options of the NATS client, which ignores credentials in URLs. */
export interface BusAddress {
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

/**
 * Parses `nats://[user:password@|token@]host[:port]`, or several separated by commas. The first credentials apply to
 * all.
 */
export function parseBusAddress(urls: string): BusAddress {
  const parsed = urls.split(',').map((url) => new URL(url.trim()));
  const servers = parsed.map((url) => `${url.protocol}//${url.host}`);
  const bearer = parsed.find((url) => url.username !== '');
  if (!bearer) return { servers };
  const name = decodeURIComponent(bearer.username);
  return bearer.password === ''
    ? { servers, token: name }
    : { servers, user: name, pass: decodeURIComponent(bearer.password) };
}
