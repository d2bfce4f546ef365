import { serverUrls } from './server-urls.ts';
import { InvalidVariableError } from './variable.ts';

const PROTOCOLS = ['postgres:', 'postgresql:'];
/** As in libpq. */
const TARGET = 'target_session_attrs';
/** The server types that a variable may request. The services choose such servers in any case. */
const WRITABLE = ['read-write', 'primary'];
const STANDBY = ['standby', 'prefer-standby', 'read-only'];

/**
 * The connection strings of the servers that a `DATABASE_URL` names, as in `postgres://user:password@a:5432,b:5432/calls`.
 * Throws an InvalidVariableError.
 */
export function databaseUrls(text: string): readonly string[] {
  return urlsOf(text, WRITABLE);
}

/** The same for a `DATABASE_READ_URL`. */
export function readReplicaUrls(text: string): readonly string[] {
  return urlsOf(text, STANDBY);
}

function urlsOf(text: string, targets: readonly string[]): readonly string[] {
  const urls = serverUrls(text, PROTOCOLS);
  return urls.map((url) => {
    const target = url.searchParams.get(TARGET);
    if (target === null) return urls.length === 1 ? text : url.href;
    if (!targets.includes(target))
      throw new InvalidVariableError(`must have no ${TARGET}, or one of ${targets.join(', ')}`);
    url.searchParams.delete(TARGET);
    return url.href;
  });
}
