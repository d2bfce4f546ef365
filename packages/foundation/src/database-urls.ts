import { serverUrls } from './server-urls.ts';
import { InvalidVariableError } from './variable.ts';

const PROTOCOLS = ['postgres:', 'postgresql:'];
/** As in libpq. The services need a server that accepts writes. */
const TARGET = 'target_session_attrs';
const TARGETS = ['read-write', 'primary'];

/**
 * The connection strings of the servers that a `DATABASE_URL` names, as in `postgres://user:password@a:5432,b:5432/calls`.
 * Throws an InvalidVariableError.
 */
export function databaseUrls(text: string): readonly string[] {
  const urls = serverUrls(text, PROTOCOLS);
  return urls.map((url) => {
    const target = url.searchParams.get(TARGET);
    if (target === null) return urls.length === 1 ? text : url.href;
    if (!TARGETS.includes(target))
      throw new InvalidVariableError(`must have no ${TARGET}, or one of ${TARGETS.join(', ')}`);
    url.searchParams.delete(TARGET);
    return url.href;
  });
}
