import { sql } from 'kysely';
import type { Database } from './store.ts';

/** Runs `work` in a transaction, one process at a time among those that use the same `name`. */
export function withSetUpLock<T>(db: Database, name: string, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
    return work(tx);
  });
}
