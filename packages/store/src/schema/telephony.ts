import type { TelephonyProvider } from '@calls/api-contract/vendors/telephony-vendors';
import type { ColumnType } from 'kysely';

export interface StoredSecret {
  /** What may be shown of it. */
  prefix: string;
  sealed: string;
}

export interface TelephonyConfigTable {
  account_id: string;
  provider: TelephonyProvider;
  /** `accountSid` and the like, by their names in the API. */
  identifiers: ColumnType<Record<string, string>, string, string>;
  /** `authToken` and the like, by their names in the API. */
  secrets: ColumnType<Record<string, StoredSecret>, string, string>;
  allowed_agent_ids: string[];
  allow_all_agents: boolean;
  request_context_mapping: ColumnType<Record<string, string>, string, string>;
}
