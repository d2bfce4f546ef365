import {
  createAccount,
  createApiKey,
  deleteAccount,
  getAccount,
  getUsage,
  inviteUser,
  listAccounts,
  listApiKeys,
  listAuditLog,
  resumeAccount,
  revokeApiKey,
  rotateApiKey,
  suspendAccount,
  updateAccount,
  withdrawInvitation,
} from '@calls/api-contract/operations/admin.operations';
import type { AdminAccount } from '@calls/api-contract/rest/admin-account';
import type { LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import type { ReadReplicas } from '@calls/store/read-replicas';
import { accountsOf, findAccount, type AccountRow } from '@calls/store/tables/accounts';
import { apiKeysOf } from '@calls/store/tables/api-keys';
import { auditLogOf } from '@calls/store/tables/audit-log';
import { billedByDay } from '@calls/store/tables/call-usage';
import { apiKeyView, expiryOf } from '../accounts/issue-api-key.ts';
import { ApiRouter, type ApiRequest } from '../http/api-router.ts';
import { administratorOf } from '../http/authentication.ts';
import type { Paging } from '../http/paging.ts';
import { requestIdOf } from '../http/request-log.ts';
import { orNotFound } from '../problems/problem.ts';
import type { BulkWork } from '../untrusted-work/bulk-work.ts';
import { dayRange, rangeOf } from '../usage/ranges.ts';
import { billingUsageView } from '../usage/usage-view.ts';
import { adminAccountView, auditLogView } from './admin-account-view.ts';
import { AdminAccounts, type AdminAccountsDeps, type Administrator } from './admin-accounts.ts';

export interface AdminRoutesDeps extends AdminAccountsDeps {
  readReplicas: ReadReplicas;
  planLimits: LimitsByPlan;
  paging: Paging;
  bulkWork: BulkWork;
}

/** Every operation of the admin API with its handler. */
export function adminRoutes(deps: AdminRoutesDeps): ApiRouter {
  const { db, readReplicas, clock, planLimits } = deps;
  const accounts = new AdminAccounts(deps);
  const shown = async (accountId: string): Promise<AdminAccount> =>
    adminAccountView(orNotFound('account', await findAccount(db, accountId)), planLimits);
  const existing = async (accountId: string): Promise<string> => {
    orNotFound('account', await findAccount(db, accountId));
    return accountId;
  };

  return new ApiRouter(deps.paging, deps.bulkWork)
    .list(listAccounts, ({ query: { status, search } }) => ({
      source: accountsOf(db, { status, search }),
      item: (row: AccountRow) => adminAccountView(row, planLimits),
    }))
    .on(createAccount, async ({ http, body }) => shown(await accounts.create(administrator(http), body)))
    .on(getAccount, ({ params }) => shown(params.account_id))
    .on(updateAccount, async ({ http, params, body }) => {
      await accounts.update(administrator(http), params.account_id, body);
      return shown(params.account_id);
    })
    .on(suspendAccount, async ({ http, params, body }) => {
      await accounts.suspend(administrator(http), params.account_id, body.reason);
      return shown(params.account_id);
    })
    .on(resumeAccount, async ({ http, params }) => {
      await accounts.resume(administrator(http), params.account_id);
      return shown(params.account_id);
    })
    .on(deleteAccount, ({ http, params }) => accounts.delete(administrator(http), params.account_id))
    .on(inviteUser, ({ http, params, body }) => accounts.invite(administrator(http), params.account_id, body))
    .on(withdrawInvitation, ({ http, params }) =>
      accounts.withdrawInvitation(administrator(http), params.account_id),
    )
    .list(listApiKeys, async ({ params }) => ({
      source: apiKeysOf(db, await existing(params.account_id)),
      item: apiKeyView,
    }))
    .on(createApiKey, ({ http, params, body }) => {
      const expiresAt = expiryOf(body, new Date(clock.wallMs()));
      const { name, role } = body;
      return accounts.createKey(administrator(http), params.account_id, { name, role, expiresAt });
    })
    .on(rotateApiKey, ({ http, params, body: { graceSeconds = 0 } }) => {
      const key = { accountId: params.account_id, prefix: params.api_key_prefix, graceSeconds };
      return accounts.rotateKey(administrator(http), key);
    })
    .on(revokeApiKey, async ({ http, params }) =>
      apiKeyView(await accounts.revokeKey(administrator(http), params.account_id, params.api_key_prefix)),
    )
    .on(getUsage, async ({ params, query }) => {
      const accountId = await existing(params.account_id);
      const range = rangeOf(dayRange(query, clock.wallMs()));
      return billingUsageView(await readReplicas.report((replica) => billedByDay(replica, accountId, range)));
    })
    .list(listAuditLog, ({ query }) => ({ source: auditLogOf(db, query.accountId), item: auditLogView }));
}

function administrator({ request, response }: ApiRequest['http']): Administrator {
  return {
    name: administratorOf(response),
    sourceAddress: request.ip ?? '',
    requestId: requestIdOf(response) ?? '',
  };
}
