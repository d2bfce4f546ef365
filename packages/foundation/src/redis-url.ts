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

/** PEM files. Without `ca`, the authorities of Node apply. */
export interface RedisTlsFiles {
  readonly ca?: string;
  /** Client certificate, for servers that request one. */
  readonly cert?: string;
  readonly key?: string;
}

/** How to connect to Redis. `tls` is null without encryption. */
export type RedisAddress =
  | { readonly kind: 'server'; readonly url: string; readonly tls: RedisTlsFiles | null }
  | (Credentials & {
      readonly kind: 'sentinel';
      readonly sentinels: readonly HostAndPort[];
      readonly sentinelCredentials: Credentials;
      readonly masterName: string;
      readonly database: number;
      readonly tls: RedisTlsFiles | null;
    })
  | (Credentials & {
      readonly kind: 'cluster';
      readonly nodes: readonly HostAndPort[];
      readonly tls: RedisTlsFiles | null;
    });

const KINDS: Readonly<Record<string, RedisAddress['kind']>> = {
  'redis:': 'server',
  'rediss:': 'server',
  'redis+sentinel:': 'sentinel',
  'rediss+sentinel:': 'sentinel',
  'redis+cluster:': 'cluster',
  'rediss+cluster:': 'cluster',
};
/** Default port of Redis servers. */
export const REDIS_PORT = 6379;
export const SENTINEL_PORT = 26_379;
const SENTINEL_PARAMETERS = ['sentinel_username', 'sentinel_password'];
/** Parameters by the files that they name. */
const TLS_PARAMETERS = { ca: 'ca_file', cert: 'cert_file', key: 'key_file' } as const;

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
  const tls = takeTlsFiles(first);
  const credentials = credentialsOf(decoded(first.username), decoded(first.password));
  const path = first.pathname.split('/').slice(1).map(decoded);
  if (kind === 'server') {
    if (urls.length > 1)
      throw new InvalidVariableError(
        'must start with redis+sentinel: or redis+cluster: to name several hosts',
      );
    requireDatabase(path[0] || '0');
    const hasFiles = Object.keys(tls ?? {}).length > 0;
    return { kind, url: hasFiles ? first.href : text, tls };
  }
  if (kind === 'cluster') {
    requireParameters(first, []);
    if (path.some((part) => part !== '' && part !== '0'))
      throw new InvalidVariableError('must not name a database other than 0: Redis Cluster has no others');
    return { kind, nodes: hostsOf(urls, REDIS_PORT), tls, ...credentials };
  }
  requireParameters(first, SENTINEL_PARAMETERS);
  const [masterName = '', database = '0'] = path;
  if (masterName === '' || path.length > 2)
    throw new InvalidVariableError(
      'must end with the name of the master, as in redis+sentinel://a:26379,b:26379/mymaster',
    );
  requireDatabase(database);
  return {
    kind,
    sentinels: hostsOf(urls, SENTINEL_PORT),
    sentinelCredentials: credentialsOf(
      first.searchParams.get('sentinel_username') ?? '',
      first.searchParams.get('sentinel_password') ?? '',
    ),
    masterName,
    database: Number(database),
    tls,
    ...credentials,
  };
}

function requireDatabase(database: string): void {
  if (/^\d{1,5}$/u.test(database)) return;
  throw new InvalidVariableError(`must have a number as its database, not "${database}"`);
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

/** Removes the parameters that name files. */
function takeTlsFiles({ protocol, searchParams }: URL): RedisTlsFiles | null {
  const files = Object.entries(TLS_PARAMETERS).flatMap(([file, parameter]) => {
    const path = searchParams.get(parameter);
    searchParams.delete(parameter);
    return path === null ? [] : [[file, path] as const];
  });
  if (!protocol.startsWith('rediss')) {
    if (files.length === 0) return null;
    throw new InvalidVariableError(
      `must start with rediss to have ${Object.values(TLS_PARAMETERS).join(', ')}`,
    );
  }
  const tls: RedisTlsFiles = Object.fromEntries(files);
  if ((tls.cert === undefined) === (tls.key === undefined)) return tls;
  throw new InvalidVariableError('must have cert_file and key_file together');
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
