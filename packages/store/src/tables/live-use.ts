import { sql } from 'kysely';
import type { Database } from '../store.ts';
import { lockAccount } from './accounts.ts';

/** Current use of an account's caps. */
export interface LiveUse {
  /** Live calls. */
  calls: number;
  /** Live calls with priority. */
  priorityCalls: number;
  freeSecondsUsed: number;
  /** Free seconds reserved by live calls. */
  freeSecondsReserved: number;
}

/** Exact until the transaction ends; concurrent callers wait for it. */
export async function lockLiveUse(tx: Database, accountId: string): Promise<LiveUse> {
  const { free_seconds_used: freeSecondsUsed } = await lockAccount(tx, accountId);
  // A separate statement, so that it sees the writes of earlier lock holders.
  const live = await tx
    .selectFrom('calls')
    .select([
      sql<number>`count(*)`.as('calls'),
      sql<number>`count(*) filter (where admission_class = 'priority')`.as('priorityCalls'),
      sql<number>`coalesce(sum(free_seconds_reserved), 0)`.as('freeSecondsReserved'),
    ])
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  return { ...live, freeSecondsUsed };
}
