import type { KeyRole } from '@calls/api-contract/rest/api-key';
import type { ColumnType, Generated } from 'kysely';
import type { Feature, Plan } from '@calls/api-contract/rest/account';
import type { BillingReason, InvoiceStatus } from '@calls/api-contract/rest/billing';
import type { AdminAction, AuditChanges } from '@calls/api-contract/rest/audit-log';
import type { AccountLimits } from '@calls/api-contract/rest/plan-limits';

export interface AccountTable {
  account_id: string;
  name: string;
  plan: Plan;
  features: Feature[];
  /** Replace those of the plan. */
  limits: ColumnType<AccountLimits, string | undefined, string>;
  /** Since then the account creates no calls. */
  suspended_at: Generated<Date | null>;
  suspension_reason: Generated<string | null>;
  /** Since then the account is only a record for bills and the audit log. */
  deleted_at: Generated<Date | null>;
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
  role: KeyRole;
  /** Not exact: written at most once a minute. */
  last_used_at: Date | null;
}

/** Accepting an invitation deletes it. */
export interface AccountInvitationTable {
  invitation_id: string;
  account_id: string;
  /** Name of the API key that the user gets. */
  key_name: string;
  /** SHA-256 of the token. */
  role: KeyRole;
  token_hash: Buffer;
  created_at: Date;
  expires_at: Date;
  /** Prefix of the key that invites; null: the operator. */
  creator: string | null;
}

/** What administrators did. Rows never change; the database refuses updates. */
export interface AuditLogTable {
  entry_id: string;
  at: ColumnType<Date, Date, never>;
  /** Name of the admin token, or `invited user`. */
  administrator: string;
  action: AdminAction;
  account_id: string;
  /** Prefix of the API key that the action is about; null if it is about the account. */
  api_key_prefix: string | null;
  /** Changed fields. */
  changes: ColumnType<AuditChanges, string, never>;
  source_address: string;
  request_id: string;
}

/** Tables of accounts. */
export interface AccountTables {
  accounts: AccountTable;
  invoices: InvoiceTable;
  api_keys: ApiKeyTable;
  account_invitations: AccountInvitationTable;
  audit_log: AuditLogTable;
}
