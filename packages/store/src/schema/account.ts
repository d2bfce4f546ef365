import type { Plan } from '@calls/api-contract/plan';
import type { BillingReason, InvoiceStatus } from '@calls/api-contract/rest/billing';
import type { ColumnType, Generated } from 'kysely';

export { PLANS, type Plan } from '@calls/api-contract/plan';

export const FEATURES = ['sip', 'retentionPolicy', 'admissionPreference'] as const;
export type Feature = (typeof FEATURES)[number];

export interface AccountTable {
  account_id: string;
  name: string;
  plan: Plan;
  features: Feature[];
  free_seconds_used: Generated<number>;
  created_at: ColumnType<Date, Date, never>;
  payment_method: Generated<string | null>;
  billing_email: Generated<string | null>;
}

/** Written by the operator. */
export interface InvoiceTable {
  account_id: string;
  invoice_number: string;
  invoiced_at: Date;
  /** In the smallest unit of the currency. */
  amount: number;
  billing_reason: BillingReason;
  status: InvoiceStatus;
  url: string;
}
