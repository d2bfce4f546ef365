import { msToDuration } from '@calls/api-contract/duration';
import type { AdminAccount } from '@calls/api-contract/rest/admin-account';
import type { AuditLogEntry } from '@calls/api-contract/rest/audit-log';
import { limitsOf, type LimitsByPlan } from '@calls/redis/rate-limits/plan-limits';
import type { AccountRow } from '@calls/store/tables/accounts';
import type { AuditLogRow } from '@calls/store/tables/audit-log';

export function adminAccountView(row: AccountRow, planLimits: LimitsByPlan): AdminAccount {
  const liveStatus = row.suspended_at ? 'suspended' : 'active';
  return {
    accountId: row.account_id,
    created: row.created_at.toISOString(),
    status: row.deleted_at ? 'deleted' : liveStatus,
    name: row.name,
    plan: row.plan,
    features: row.features,
    limits: row.limits,
    billingEmail: row.billing_email,
    paymentMethod: row.payment_method,
    effectiveLimits: limitsOf(planLimits, row),
    freeTimeUsed: msToDuration(row.free_seconds_used * 1000),
    activeCalls: row.active_calls,
    suspended: row.suspended_at?.toISOString() ?? null,
    suspensionReason: row.suspension_reason,
    deleted: row.deleted_at?.toISOString() ?? null,
  };
}

export function auditLogView(row: AuditLogRow): AuditLogEntry {
  return {
    entryId: row.entry_id,
    time: row.at.toISOString(),
    administrator: row.administrator,
    action: row.action,
    accountId: row.account_id,
    apiKeyPrefix: row.api_key_prefix,
    changes: row.changes,
    sourceAddress: row.source_address,
    requestId: row.request_id,
  };
}
