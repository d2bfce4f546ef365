import { systemClock } from '@calls/foundation/clock';
import { connect, type NatsConnection } from 'nats';
import { isTimeout } from './bus-error.ts';

/** Addresses and credentials for the NATS client, which ignores credentials in URLs. */
interface BusAddress {
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
}

const MIN_RECONNECT_DELAY_MS = 100;
const MAX_RECONNECT_DELAY_MS = 1000;
/**
 * Time limit of each attempt. The client waits for it if a server does not respond, or closes the connection within the
 * handshake.
 */
const ATTEMPT_LIMIT_MS = 5000;
/** How long a new connection is attempted. On a busy machine, the handshake of a process that starts may take 10 s. */
const CONNECT_LIMIT_MS = 15_000;

/**
 * Delay between two attempts at one server; the others in the list are tried immediately. Spread, so that not all
 * clients connect to a restarted server at the same time.
 */
function reconnectDelayMs(): number {
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

/**
 * Opens a connection that reconnects without a limit and detects a server that does not respond within 3 to 9 s. Rejects if
 * no server accepts it.
 */
export async function connectTo(urls: string, name: string): Promise<NatsConnection> {
  const untilMs = systemClock.nowMs() + CONNECT_LIMIT_MS;
  for (;;) {
    try {
      return await connect({
        ...parseBusAddress(urls),
        name,
        timeout: ATTEMPT_LIMIT_MS,
        maxReconnectAttempts: -1,
        // Credentials may be wrong for a while, as when a server is restarted before its users are configured.
        ignoreAuthErrorAbort: true,
        pingInterval: 3000,
        maxPingOut: 2,
        noAsyncTraces: true,
        reconnectDelayHandler: reconnectDelayMs,
      });
    } catch (thrown) {
      if (!isTimeout(thrown) || systemClock.nowMs() >= untilMs) throw thrown;
    }
  }
}

/** Hosts with ports, without credentials. */
export function hostsOf(urls: string): string[] {
  return parseBusAddress(urls).servers.map((server) => new URL(server).host);
}
