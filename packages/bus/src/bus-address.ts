/** Connection options of the NATS client, which ignores credentials in URLs. */
interface BusAddress {
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

const MIN_RECONNECT_DELAY_MS = 100;
const MAX_RECONNECT_DELAY_MS = 1000;

/** Spreads reconnections, so that not all clients connect to a restarted server at once. */
export function reconnectDelayMs(): number {
  return MIN_RECONNECT_DELAY_MS + Math.random() * (MAX_RECONNECT_DELAY_MS - MIN_RECONNECT_DELAY_MS);
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
