import type { TelephonyProvider } from '@calls/api-contract/vendors/telephony-vendors';
import type { ColumnType } from 'kysely';

export interface StoredSecret {
  /** The part of the secret that may be shown. */
  prefix: string;
  sealed: string;
}

export interface TelephonyConfigTable {
  account_id: string;
  provider: TelephonyProvider;
  /** `accountSid` and similar fields, by their API names. */
  identifiers: ColumnType<Record<string, string>, string, string>;
  /** `authToken` and similar fields, by their API names. */
  secrets: ColumnType<Record<string, StoredSecret>, string, string>;
  allowed_agent_ids: string[];
  allow_all_agents: boolean;
  request_context_mapping: ColumnType<Record<string, string>, string, string>;
}
