import type { Plan } from '@calls/api-contract/rest/account';
import type { Database } from '../store.ts';
import type { Selectable } from 'kysely';
import type { AccountTable, Feature, InvoiceTable } from '../schema/account-tables.ts';
import { pagesOf, type PageSource } from '../keyset.ts';

export interface NewAccount {
  accountId: string;
  name: string;
  plan: Plan;
  features: Feature[];
  createdAt: Date;
}

/** Does nothing if an account with this id exists. */
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

/**
 * Returns the plan and the used free time, locked until the transaction ends, so that limits of one account
 * are checked one call at a time. Transactions that do not take this lock are not blocked.
 */
export function lockAccount(
  db: Database,
  accountId: string,
): Promise<{ plan: Plan; free_seconds_used: number }> {
  return db
    .selectFrom('accounts')
    .select(['plan', 'free_seconds_used'])
    .where('account_id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

export async function addFreeSecondsUsed(db: Database, accountId: string, seconds: number): Promise<void> {
  await db
    .updateTable('accounts')
    .set((eb) => ({ free_seconds_used: eb('free_seconds_used', '+', seconds) }))
    .where('account_id', '=', accountId)
    .execute();
}

export type AccountRow = Selectable<AccountTable> & { active_calls: number };

/** Includes the number of its live calls. */
export function findAccount(db: Database, accountId: string): Promise<AccountRow | undefined> {
  return db
    .selectFrom('accounts')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('calls')
        .select((calls) => calls.fn.countAll<number>().as('active'))
        .whereRef('calls.account_id', '=', 'accounts.account_id')
        .where('ended_at', 'is', null)
        .$asScalar()
        .$notNull()
        .as('active_calls'),
    )
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

export type InvoiceRow = Selectable<InvoiceTable>;

/** Newest first. */
export function invoicesOf(db: Database, accountId: string): PageSource<InvoiceRow> {
  return pagesOf(db.selectFrom('invoices').selectAll().where('account_id', '=', accountId), {
    by: ['invoiced_at', 'invoice_number'],
    direction: 'desc',
    keyOf: (row) => [row.invoiced_at.toISOString(), row.invoice_number],
  });
}
