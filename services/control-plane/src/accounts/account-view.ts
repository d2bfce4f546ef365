import { msToDuration } from '@calls/api-contract/duration';
import type { Account } from '@calls/api-contract/rest/account';
import type { Invoice } from '@calls/api-contract/rest/billing';
import type { PlanLimits } from '@calls/api-contract/rest/plan-limits';
import type { AccountRow, InvoiceRow } from '@calls/store/tables/accounts';

/** Returns the API's view of an account. The service knows only the plan of its subscription. */
export function accountView(row: AccountRow, limits: PlanLimits, publicUrl: string): Account {
  const freeSeconds = (limits.freeMinutes ?? 0) * 60;
  return {
    accountId: row.account_id,
    name: row.name,
    billingUrl: publicUrl,
    freeTimeUsed: msToDuration(row.free_seconds_used * 1000),
    freeTimeRemaining: msToDuration(Math.max(0, freeSeconds - row.free_seconds_used) * 1000),
    hasActiveSubscription: row.plan !== 'FREE',
    subscriptionTier: row.plan === 'FREE' ? null : row.plan,
    subscriptionCadence: null,
    subscriptionExpiration: null,
    subscriptionScheduledUpdate: null,
    subscriptionRenewal: null,
    activeCalls: row.active_calls,
    allowedConcurrentCalls: limits.concurrentCalls,
    allowedVoices: null,
    allowedCorpora: null,
  };
}

export function invoiceView(row: InvoiceRow): Invoice {
  return {
    invoiceDate: row.invoiced_at.toISOString(),
    amount: row.amount,
    billingReason: row.billing_reason,
    invoiceNumber: row.invoice_number,
    invoiceStatus: row.status,
    invoiceUrl: row.url,
  };
}
