import { silentLogger } from '@calls/foundation/logger';
import { openStore, type Store } from '@calls/store/store';
import { LONG_QUERY_LIMIT_MS } from './lifted-limits.ts';

/** Opens a database for a test without the default time limit of queries, which they exceed on a busy machine. */
export function openTestStore(url: string, { poolSize = 1 } = {}): Store {
  return openStore({ url, name: 'test', poolSize, queryLimitMs: LONG_QUERY_LIMIT_MS, log: silentLogger });
}
