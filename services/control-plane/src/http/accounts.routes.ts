import { getAccount } from '@calls/api-contract';
import type { LimitsByPlan } from '@calls/rate-limits';
import { findAccount, type Database } from '@calls/store';
import { accountView } from '../accounts/account-view.ts';
import type { ApiRouter } from './api-router.ts';
import type { Paging } from './paging.ts';
import { orNotFound } from './problem.ts';

export function accountRoutes(
  api: ApiRouter,
  { db, planLimits, paging }: { db: Database; planLimits: LimitsByPlan; paging: Paging },
): void {
  api.on(getAccount, async ({ accountId }) => {
    const account = orNotFound('account', await findAccount(db, accountId));
    return accountView(account, planLimits[account.plan], paging.publicUrl);
  });
}
