import {
  getAccount,
  getBillingInfo,
  listAccounts,
  listInvoices,
} from '@calls/api-contract/operations/accounts.operations';
import type { Account } from '@calls/api-contract/rest/account';
import { limitsOf, type LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import type { Database } from '@calls/store/store';
import { findAccount, type AccountRow, invoicesOf } from '@calls/store/tables/accounts';
import { accountView, invoiceView } from '../accounts/account-view.ts';
import type { ApiRouter } from './api-router.ts';
import type { Paging } from './paging.ts';
import { orNotFound } from '../problems/problem.ts';

export function accountRoutes(
  api: ApiRouter,
  { db, planLimits, paging }: { db: Database; planLimits: LimitsByPlan; paging: Paging },
): void {
  const rowOf = async (accountId: string): Promise<AccountRow> =>
    orNotFound('account', await findAccount(db, accountId));
  const shown = async (accountId: string): Promise<Account> => {
    const account = await rowOf(accountId);
    return accountView(account, limitsOf(planLimits, account), paging.publicUrl);
  };

  api
    .on(listAccounts, async ({ accountId }) => [await shown(accountId)])
    .on(getAccount, ({ accountId }) => shown(accountId))
    .on(getBillingInfo, async ({ accountId }) => {
      const { payment_method: paymentMethod, billing_email: billingEmail } = await rowOf(accountId);
      return { paymentMethod, billingEmail };
    })
    .list(listInvoices, ({ accountId }) => ({ source: invoicesOf(db, accountId), item: invoiceView }));
}
