import { silentLogger } from '@calls/foundation/logger';
import { openStore, type Store } from '@calls/store/store';
import { LONG_QUERY_LIMIT_MS } from './lifted-limits.ts';

/** Opens a database for a test, whose queries may take long: on a busy machine they exceed the default limit. */
export function openTestStore(url: string, { poolSize = 1 } = {}): Store {
  return openStore({ url, name: 'test', poolSize, queryLimitMs: LONG_QUERY_LIMIT_MS, log: silentLogger });
}
