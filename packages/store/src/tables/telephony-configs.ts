import type { DtmfHandling } from '@calls/api-contract/rest/medium';
import type { AccountTelephonyConfig } from '@calls/api-contract/rest/telephony-config';
import { sql, type Selectable } from 'kysely';
import { asJson } from '../as-json.ts';
import type { StoredSecret, TelephonyConfigTable } from '../schema/telephony-tables.ts';
import type { Database } from '../store.ts';
import { TERM_COLUMNS, type TermsRow } from './account-terms.ts';

export type TelephonyConfigRow = Selectable<TelephonyConfigTable>;

export interface NewTelephonyConfig {
  accountId: string;
  provider: keyof AccountTelephonyConfig;
  identifiers: Record<string, string>;
  /** Sealed. */
  secrets: Record<string, StoredSecret>;
  allowedAgentIds: string[];
  allowAllAgents: boolean;
  requestContextMapping: Record<string, string>;
}

export function telephonyConfigsOf(db: Database, accountId: string): Promise<TelephonyConfigRow[]> {
  return db.selectFrom('telephony_configs').selectAll().where('account_id', '=', accountId).execute();
}

export function findTelephonyConfig(
  db: Database,
  accountId: string,
  provider: keyof AccountTelephonyConfig,
): Promise<TelephonyConfigRow | undefined> {
  return db
    .selectFrom('telephony_configs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('provider', '=', provider)
    .executeTakeFirst();
}

/** Throws a unique violation if the account has a configuration of this provider. */
export async function insertTelephonyConfig(db: Database, config: NewTelephonyConfig): Promise<void> {
  await db
    .insertInto('telephony_configs')
    .values({
      account_id: config.accountId,
      provider: config.provider,
      identifiers: asJson(config.identifiers),
      secrets: asJson(config.secrets),
      allowed_agent_ids: config.allowedAgentIds,
      allow_all_agents: config.allowAllAgents,
      request_context_mapping: asJson(config.requestContextMapping),
    })
    .execute();
}

export type TelephonyConfigChange = Partial<Omit<NewTelephonyConfig, 'accountId' | 'provider'>>;

/** Changes only the given `identifiers` and `secrets`. False if there is no such configuration. */
export async function updateTelephonyConfig(
  db: Database,
  accountId: string,
  provider: keyof AccountTelephonyConfig,
  change: TelephonyConfigChange,
): Promise<boolean> {
  const { identifiers = {}, secrets = {}, allowedAgentIds, allowAllAgents, requestContextMapping } = change;
  const updated = await db
    .updateTable('telephony_configs')
    .set({
      identifiers: sql`identifiers || ${asJson(identifiers)}::jsonb`,
      secrets: sql`secrets || ${asJson(secrets)}::jsonb`,
      ...(allowedAgentIds && { allowed_agent_ids: allowedAgentIds }),
      ...(allowAllAgents !== undefined && { allow_all_agents: allowAllAgents }),
      ...(requestContextMapping && { request_context_mapping: asJson(requestContextMapping) }),
    })
    .where('account_id', '=', accountId)
    .where('provider', '=', provider)
    .returning('provider')
    .executeTakeFirst();
  return updated !== undefined;
}

export async function deleteTelephonyConfig(
  db: Database,
  accountId: string,
  provider: keyof AccountTelephonyConfig,
): Promise<boolean> {
  const deleted = await db
    .deleteFrom('telephony_configs')
    .where('account_id', '=', accountId)
    .where('provider', '=', provider)
    .returning('provider')
    .executeTakeFirst();
  return deleted !== undefined;
}

export type AgentTelephonyRow = TelephonyConfigRow &
  TermsRow & {
    /** The setting of the agent's template for this provider. */
    dtmf_handling: DtmfHandling | null;
  };

/** The configuration of the account that owns the agent: webhook URLs name an agent, but no account. */
export function findTelephonyConfigOfAgent(
  db: Database,
  agentId: string,
  provider: keyof AccountTelephonyConfig,
): Promise<AgentTelephonyRow | undefined> {
  return db
    .selectFrom('agents')
    .innerJoin('telephony_configs', 'telephony_configs.account_id', 'agents.account_id')
    .innerJoin('accounts', 'accounts.account_id', 'agents.account_id')
    .leftJoin('agent_revisions', 'revision_id', 'published_revision_id')
    .selectAll('telephony_configs')
    .select(TERM_COLUMNS)
    .select(sql<DtmfHandling | null>`template #> ${['medium', provider, 'dtmfHandling']}`.as('dtmf_handling'))
    .where('agents.agent_id', '=', agentId)
    .where('agents.deleted_at', 'is', null)
    .where('accounts.deleted_at', 'is', null)
    .where('telephony_configs.provider', '=', provider)
    .executeTakeFirst();
}
