import { sql } from 'kysely';
import type { Database } from '../store.ts';
import { lockAccount } from './accounts.ts';

/** What an account's calls have taken of its caps. */
export interface LiveUse {
  /** Created and not ended. */
  calls: number;
  /** Of these. */
  priorityCalls: number;
  freeSecondsUsed: number;
  /** By live calls. */
  freeSecondsReserved: number;
}

/** Exact until the transaction ends: who asks next waits that long. */
export async function lockLiveUse(tx: Database, accountId: string): Promise<LiveUse> {
  const { free_seconds_used: freeSecondsUsed } = await lockAccount(tx, accountId);
  // A statement of its own: it sees what those wrote who had the lock before.
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
