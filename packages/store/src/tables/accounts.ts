import type { Database } from '../store.ts';
import type { Feature, Plan } from '../schema/account.ts';

export interface NewAccount {
  accountId: string;
  name: string;
  plan: Plan;
  features: Feature[];
  createdAt: Date;
}

/** Leaves an account with this id as it is. */
export async function insertAccount(db: Database, account: NewAccount): Promise<void> {
  await db
    .insertInto('accounts')
    .values({
      account_id: account.accountId,
      name: account.name,
      plan: account.plan,
      features: account.features,
      created_at: account.createdAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Plan and free time used, locked until the transaction ends: billing of one account is done one call at a time. */
export function lockAccountForBilling(
  db: Database,
  accountId: string,
): Promise<{ plan: Plan; free_seconds_used: number }> {
  return db
    .selectFrom('accounts')
    .select(['plan', 'free_seconds_used'])
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

export async function addFreeSecondsUsed(db: Database, accountId: string, seconds: number): Promise<void> {
  await db
    .updateTable('accounts')
    .set((eb) => ({ free_seconds_used: eb('free_seconds_used', '+', seconds) }))
    .where('account_id', '=', accountId)
    .execute();
}
