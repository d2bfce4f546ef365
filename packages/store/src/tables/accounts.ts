import type { Feature, Plan } from '@calls/api-contract/rest/account';
import type { AccountStatus } from '@calls/api-contract/rest/admin-account';
import type { AccountLimits } from '@calls/api-contract/rest/plan-limits';
import type { Database } from '../store.ts';
import type { Selectable } from 'kysely';
import type { AccountTable, InvoiceTable } from '../schema/account-tables.ts';
import { asJson } from '../as-json.ts';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';

export interface NewAccount {
  accountId: string;
  name: string;
  plan: Plan;
  features: Feature[];
  limits?: AccountLimits | undefined;
  billingEmail?: string | null | undefined;
  paymentMethod?: string | null | undefined;
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
      limits: asJson(account.limits ?? {}),
      billing_email: account.billingEmail ?? null,
      payment_method: account.paymentMethod ?? null,
      created_at: account.createdAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Returns the plan, the own limits and the used free time, locked until the transaction ends, so that limits of one account
 * are checked one call at a time. Transactions that do not take this lock are not blocked.
 */
export function lockAccount(
  db: Database,
  accountId: string,
): Promise<{ plan: Plan; limits: AccountLimits; free_seconds_used: number }> {
  return db
    .selectFrom('accounts')
    .select(['plan', 'limits', 'free_seconds_used'])
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
  return accountRows(db).where('account_id', '=', accountId).executeTakeFirst();
}

/** Like findAccount; no other transaction changes the account, or starts a call of it, before this one ends. */
export function lockWholeAccount(tx: Database, accountId: string): Promise<AccountRow | undefined> {
  return accountRows(tx).where('account_id', '=', accountId).forUpdate('accounts').executeTakeFirst();
}

/** `search`: part of the name, in any case. Newest first. */
export function accountsOf(
  db: Database,
  { status, search }: { status?: AccountStatus | undefined; search?: string | undefined },
): PageSource<AccountRow> {
  let rows = accountRows(db);
  if (status !== undefined) rows = rows.where('deleted_at', status === 'deleted' ? 'is not' : 'is', null);
  if (status === 'active') rows = rows.where('suspended_at', 'is', null);
  if (status === 'suspended') rows = rows.where('suspended_at', 'is not', null);
  if (search !== undefined) rows = rows.where('name', 'ilike', `%${search.replaceAll(/[\\%_]/gu, '\\$&')}%`);
  return pagesOf(rows, orderedBy('desc', 'created_at', 'account_id'));
}

export interface AccountChange {
  name?: string | undefined;
  plan?: Plan | undefined;
  features?: Feature[] | undefined;
  limits?: AccountLimits | undefined;
  billingEmail?: string | null | undefined;
  paymentMethod?: string | null | undefined;
  suspension?: { at: Date; reason: string } | null;
  deletedAt?: Date;
}

/** Undefined fields do not change. */
export async function changeAccount(db: Database, accountId: string, change: AccountChange): Promise<void> {
  const { name, plan, features, limits, billingEmail, paymentMethod, suspension, deletedAt } = change;
  const columns = {
    ...(name !== undefined && { name }),
    ...(plan !== undefined && { plan }),
    ...(features !== undefined && { features }),
    ...(limits !== undefined && { limits: asJson(limits) }),
    ...(billingEmail !== undefined && { billing_email: billingEmail }),
    ...(paymentMethod !== undefined && { payment_method: paymentMethod }),
    ...(suspension !== undefined && {
      suspended_at: suspension?.at ?? null,
      suspension_reason: suspension?.reason ?? null,
    }),
    ...(deletedAt !== undefined && { deleted_at: deletedAt }),
  };
  if (Object.keys(columns).length === 0) return;
  await db.updateTable('accounts').set(columns).where('account_id', '=', accountId).execute();
}

function accountRows(db: Database) {
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
    );
}

export type InvoiceRow = Selectable<InvoiceTable>;

/** Newest first. */
export function invoicesOf(db: Database, accountId: string): PageSource<InvoiceRow> {
  return pagesOf(
    db.selectFrom('invoices').selectAll().where('account_id', '=', accountId),
    orderedBy('desc', 'invoiced_at', 'invoice_number'),
  );
}
