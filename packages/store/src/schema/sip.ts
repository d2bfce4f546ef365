import type { AgentAllowance } from '@calls/api-contract/rest/sip';
import type { ColumnType, Generated } from 'kysely';

/** Secrets encrypted. */
export interface StoredFallbackHandler {
  url: string;
  secrets: string[];
}

export interface SipConfigTable {
  account_id: string;
  allowed_cidr_ranges: Generated<string[]>;
  allow_all_agents: Generated<boolean>;
  allowed_agents: ColumnType<AgentAllowance[], string | undefined, string>;
  fallback_handler: ColumnType<StoredFallbackHandler | null, string | null | undefined, string | null>;
}

export interface SipRegistrationTable {
  registration_id: string;
  account_id: string;
  username: string;
  sealed_password: string;
  proxy: string;
  outbound_proxy: string | null;
  auth_user: string | null;
  /** Null until the registration was attempted. */
  successful: boolean | null;
  created_at: ColumnType<Date, Date, never>;
}
