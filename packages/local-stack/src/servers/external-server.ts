import { connect } from 'node:net';
import { REDIS_PORT, SENTINEL_PORT } from '@calls/foundation/redis-url';
import { LocalStackError } from '../reporter.ts';

const CONNECT_LIMIT_MS = 5_000;
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': REDIS_PORT,
  'rediss:': REDIS_PORT,
  'redis+sentinel:': SENTINEL_PORT,
  'rediss+sentinel:': SENTINEL_PORT,
  'redis+cluster:': REDIS_PORT,
  'rediss+cluster:': REDIS_PORT,
  'nats:': 4222,
  'tls:': 4222,
};

/** Host and port of a server, without credentials. */
export function describeServer({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (DEFAULT_PORTS[protocol] ?? '?')}`;
}

/** Throws an error for the operator if nothing listens at any of the URLs. Does not check credentials. */
export async function requireReachable(name: string, urls: readonly URL[]): Promise<void> {
  const errors = await Promise.all(urls.map(connectionError));
  if (errors.includes(undefined)) return;
  throw new LocalStackError(
    'server_unreachable',
    `${name} at ${urls.map(describeServer).join(', ')} cannot be reached: ${errors[0]}`,
  );
}

/** Undefined if something listens at the URL. */
function connectionError({ hostname, port, protocol }: URL): Promise<string | undefined> {
  const target = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0),
  };
  return new Promise((resolve) => {
    const socket = connect(target);
    const finish = (message?: string): void => {
      socket.destroy();
      resolve(message);
    };
    socket.setTimeout(CONNECT_LIMIT_MS, () => finish(`no response within ${CONNECT_LIMIT_MS / 1000} s`));
    socket.on('connect', () => finish());
    socket.on('error', (error) => finish(error.message || 'connection refused'));
  });
}
