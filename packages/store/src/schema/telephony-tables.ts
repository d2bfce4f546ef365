import type { AgentAllowance } from '@calls/api-contract/rest/sip';
import type { SipCodec } from '@calls/api-contract/rest/sip-trunk';
import type { AccountTelephonyConfig } from '@calls/api-contract/rest/telephony-config';
import type { ColumnType, Generated } from 'kysely';

export interface StoredSecret {
  /** The part of the secret that may be shown. */
  prefix: string;
  sealed: string;
}

export interface TelephonyConfigTable {
  account_id: string;
  provider: keyof AccountTelephonyConfig;
  /** `accountSid` and similar fields, by their API names. */
  identifiers: ColumnType<Record<string, string>, string, string>;
  /** `authToken` and similar fields, by their API names. */
  secrets: ColumnType<Record<string, StoredSecret>, string, string>;
  allowed_agent_ids: string[];
  allow_all_agents: boolean;
  request_context_mapping: ColumnType<Record<string, string>, string, string>;
}

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
  /** Why the last attempt failed. */
  last_error: string | null;
  /** When the binding at the registrar expires. */
  expires_at: Date | null;
  created_at: ColumnType<Date, Date, never>;
  /** User part of the Contact. */
  contact_user: Generated<string>;
  /** Computed from the settings. */
  version: ColumnType<string, never, never>;
  /** The worker that keeps the registration alive, and until when. */
  held_by: string | null;
  held_until: Date | null;
  /** Counts the workers that held it. */
  epoch: Generated<number>;
}

/** Passwords sealed. */
export interface StoredCredentials {
  username: string;
  password: string;
}

/** Credentials by the direction of the calls. */
export interface TrunkCredentials {
  outgoing: StoredCredentials | null;
  incoming: StoredCredentials | null;
}

export interface SipTrunkTable {
  trunk_id: string;
  account_id: string;
  name: string;
  enabled: boolean;
  proxy: string | null;
  outbound_proxy: string | null;
  default_from: string | null;
  numbers: string[];
  allowed_cidr_ranges: string[];
  /** Best first; empty: the default ones. */
  codecs: Generated<SipCodec[]>;
  credentials: ColumnType<TrunkCredentials, string, string>;
  max_calls: number | null;
  created_at: ColumnType<Date, Date, never>;
}

/** A call to the person of a warm transfer. */
export interface TransferLegTable {
  leg_id: string;
  /** The call of the user. */
  call_id: string;
  started_at: ColumnType<Date, Date, never>;
  /** Null while it is live. Also over if the call of the user has ended. */
  ended_at: Date | null;
  /** The trunk that it goes through, if any. */
  sip_trunk_id: string | null;
}

/** Tables of telephony vendors and SIP. */
export interface TelephonyTables {
  telephony_configs: TelephonyConfigTable;
  sip_configs: SipConfigTable;
  sip_registrations: SipRegistrationTable;
  sip_trunks: SipTrunkTable;
  transfer_legs: TransferLegTable;
}
