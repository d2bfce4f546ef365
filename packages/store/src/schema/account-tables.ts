import type { ColumnType, Generated } from 'kysely';
import type { Plan } from '@calls/api-contract/rest/account';
import type { BillingReason, InvoiceStatus } from '@calls/api-contract/rest/billing';

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

export interface ApiKeyTable {
  key_id: string;
  account_id: string;
  name: string;
  /** The public first part of the key. */
  prefix: string;
  /** SHA-256 of the whole key. */
  hash: Buffer;
  created_at: ColumnType<Date, Date, never>;
  expires_at: Date | null;
  revoked_at: Date | null;
  /** Prefix of the key that created this one; null if the service created it. */
  creator: string | null;
}

/** Tables of accounts. */
export interface AccountTables {
  accounts: AccountTable;
  invoices: InvoiceTable;
  api_keys: ApiKeyTable;
}
