import { serverUrls } from './server-urls.ts';
import { InvalidVariableError } from './variable.ts';

interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

/** How to connect to Redis. */
export type RedisAddress =
  | { readonly kind: 'server'; readonly url: string }
  | (Credentials & {
      readonly kind: 'sentinel';
      readonly sentinels: readonly HostAndPort[];
      readonly sentinelCredentials: Credentials;
      readonly masterName: string;
      readonly database: number;
      readonly isEncrypted: boolean;
    })
  | (Credentials & {
      readonly kind: 'cluster';
      readonly nodes: readonly HostAndPort[];
      readonly isEncrypted: boolean;
    });

const KINDS: Readonly<Record<string, RedisAddress['kind']>> = {
  'redis:': 'server',
  'rediss:': 'server',
  'redis+sentinel:': 'sentinel',
  'rediss+sentinel:': 'sentinel',
  'redis+cluster:': 'cluster',
  'rediss+cluster:': 'cluster',
};
/** Of the URLs of servers; without a path also of Sentinel and Cluster. */
export const REDIS_PORT = 6379;
export const SENTINEL_PORT = 26_379;
const SENTINEL_PARAMETERS = ['sentinel_username', 'sentinel_password'];

/** The URLs of the hosts that a `REDIS_URL` names. Throws an InvalidVariableError. */
export function redisUrls(text: string): readonly URL[] {
  return serverUrls(text, Object.keys(KINDS));
}

/** Throws an InvalidVariableError. */
export function parseRedisUrl(text: string): RedisAddress {
  const urls = redisUrls(text);
  const [first] = urls;
  const kind = KINDS[first?.protocol ?? ''];
  if (!first || !kind) throw new InvalidVariableError('must be a URL');
  const isEncrypted = first.protocol.startsWith('rediss');
  if (kind === 'server') {
    if (urls.length > 1)
      throw new InvalidVariableError(
        'must start with redis+sentinel: or redis+cluster: to name several hosts',
      );
    return { kind, url: text };
  }
  const credentials = credentialsOf(decoded(first.username), decoded(first.password));
  const path = first.pathname.split('/').slice(1).map(decoded);
  if (kind === 'cluster') {
    requireParameters(first, []);
    if (path.some((part) => part !== '' && part !== '0'))
      throw new InvalidVariableError('must not name a database other than 0: Redis Cluster has no others');
    return { kind, nodes: hostsOf(urls, REDIS_PORT), isEncrypted, ...credentials };
  }
  requireParameters(first, SENTINEL_PARAMETERS);
  const [masterName = '', database = '0'] = path;
  if (masterName === '' || path.length > 2)
    throw new InvalidVariableError(
      'must end with the name of the master, as in redis+sentinel://a:26379,b:26379/mymaster',
    );
  if (!/^\d{1,5}$/u.test(database))
    throw new InvalidVariableError('must have a number as its database, as in /mymaster/0');
  return {
    kind,
    sentinels: hostsOf(urls, SENTINEL_PORT),
    sentinelCredentials: credentialsOf(
      first.searchParams.get('sentinel_username') ?? '',
      first.searchParams.get('sentinel_password') ?? '',
    ),
    masterName,
    database: Number(database),
    isEncrypted,
    ...credentials,
  };
}

function hostsOf(urls: readonly URL[], defaultPort: number): HostAndPort[] {
  return urls.map(({ hostname, port }) => {
    if (hostname === '') throw new InvalidVariableError('must name a host');
    return { host: hostname.replace(/^\[|\]$/gu, ''), port: Number(port || defaultPort) };
  });
}

function credentialsOf(username: string, password: string): Credentials {
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) };
}

function requireParameters({ searchParams }: URL, known: readonly string[]): void {
  const unknown = [...searchParams.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const choice = known.length === 0 ? 'none' : known.join(', ');
  throw new InvalidVariableError(`must not have the parameter "${unknown}" (possible: ${choice})`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidVariableError('must encode special characters, as in %25 for %');
  }
}
