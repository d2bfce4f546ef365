import { sql } from 'kysely';
import type { Database } from './store.ts';

/** Runs `work` in a transaction; at most one process at a time per `name`. */
export function withSetUpLock<T>(db: Database, name: string, work: (tx: Database) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
    return work(tx);
  });
}
