/** What the NATS client takes instead of URLs: it leaves credentials in a URL unread. */
export interface BusAddress {
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

/**
 * Reads `nats://[user:password@|token@]host[:port]`, several of them separated by commas. The credentials of the first
 * that has any serve for all.
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
