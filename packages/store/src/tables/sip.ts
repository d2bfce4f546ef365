import type { AgentAllowance } from '@calls/api-contract/rest/sip';
import type { Selectable, Updateable } from 'kysely';
import { asJson } from '../as-json.ts';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type {
  SipConfigTable,
  SipRegistrationTable,
  StoredFallbackHandler,
} from '../schema/telephony-tables.ts';
import type { Database } from '../store.ts';
import { TERM_COLUMNS, termsOf, type AccountTerms } from './account-terms.ts';

export type SipConfigRow = Selectable<SipConfigTable>;

/** The default configuration: no address may call in. */
function noSipConfig(accountId: string): SipConfigRow {
  return {
    account_id: accountId,
    allowed_cidr_ranges: [],
    allow_all_agents: false,
    allowed_agents: [],
    fallback_handler: null,
  };
}

export async function findSipConfig(db: Database, accountId: string): Promise<SipConfigRow> {
  const row = await db
    .selectFrom('sip_configs')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row ?? noSipConfig(accountId);
}

export interface SipAccount {
  account: { accountId: string } & AccountTerms;
  config: SipConfigRow;
}

/** The account of the SIP domain and the addresses that may call in; undefined if there is no such account. */
export async function findSipAccount(db: Database, accountId: string): Promise<SipAccount | undefined> {
  const row = await db
    .selectFrom('accounts')
    .leftJoin('sip_configs', 'sip_configs.account_id', 'accounts.account_id')
    .select([
      ...TERM_COLUMNS,
      'allowed_cidr_ranges',
      'allow_all_agents',
      'allowed_agents',
      'fallback_handler',
    ])
    .where('accounts.account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row) return undefined;
  const none = noSipConfig(accountId);
  const config: SipConfigRow = {
    ...none,
    allowed_cidr_ranges: row.allowed_cidr_ranges ?? none.allowed_cidr_ranges,
    allow_all_agents: row.allow_all_agents ?? none.allow_all_agents,
    allowed_agents: row.allowed_agents ?? none.allowed_agents,
    fallback_handler: row.fallback_handler,
  };
  return { account: { accountId, ...termsOf(row) }, config };
}

export interface SipConfigChange {
  allowedCidrRanges?: string[] | undefined;
  allowAllAgents?: boolean | undefined;
  allowedAgents?: AgentAllowance[] | undefined;
  fallbackHandler?: StoredFallbackHandler | null | undefined;
}

/** Undefined fields do not change. */
export function changeSipConfig(
  db: Database,
  accountId: string,
  change: SipConfigChange,
): Promise<SipConfigRow> {
  const { allowedCidrRanges, allowAllAgents, allowedAgents, fallbackHandler } = change;
  const columns = {
    account_id: accountId,
    ...(allowedCidrRanges && { allowed_cidr_ranges: allowedCidrRanges }),
    ...(allowAllAgents !== undefined && { allow_all_agents: allowAllAgents }),
    ...(allowedAgents && { allowed_agents: asJson(allowedAgents) }),
    ...(fallbackHandler !== undefined && {
      fallback_handler: fallbackHandler === null ? null : asJson(fallbackHandler),
    }),
  };
  return db
    .insertInto('sip_configs')
    .values(columns)
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(columns))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export type SipRegistrationRow = Selectable<SipRegistrationTable>;

function ofAccount(db: Database, accountId: string) {
  return db.selectFrom('sip_registrations').selectAll().where('account_id', '=', accountId);
}

/** Newest first. */
export function sipRegistrationsOf(db: Database, accountId: string): PageSource<SipRegistrationRow> {
  return pagesOf(ofAccount(db, accountId), orderedBy('desc', 'created_at', 'registration_id'));
}

export function findSipRegistration(
  db: Database,
  accountId: string,
  registrationId: string,
): Promise<SipRegistrationRow | undefined> {
  return ofAccount(db, accountId).where('registration_id', '=', registrationId).executeTakeFirst();
}

type NewRegistrationColumn =
  | 'registration_id'
  | 'account_id'
  | 'username'
  | 'sealed_password'
  | 'proxy'
  | 'outbound_proxy'
  | 'auth_user'
  | 'created_at';

/** Throws a unique violation if the account has a registration with this user name and proxy. */
export function insertSipRegistration(
  db: Database,
  registration: Pick<SipRegistrationRow, NewRegistrationColumn>,
): Promise<SipRegistrationRow> {
  return db
    .insertInto('sip_registrations')
    .values({ ...registration, successful: null })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export type SipRegistrationChange = Pick<
  Updateable<SipRegistrationTable>,
  'username' | 'sealed_password' | 'proxy' | 'outbound_proxy' | 'auth_user'
>;

/** The registration must be attempted again. Undefined if there is no such registration. */
export function updateSipRegistration(
  db: Database,
  accountId: string,
  registrationId: string,
  change: SipRegistrationChange,
): Promise<SipRegistrationRow | undefined> {
  return db
    .updateTable('sip_registrations')
    .set({ ...change, successful: null })
    .where('account_id', '=', accountId)
    .where('registration_id', '=', registrationId)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteSipRegistration(
  db: Database,
  accountId: string,
  registrationId: string,
): Promise<boolean> {
  const deleted = await db
    .deleteFrom('sip_registrations')
    .where('account_id', '=', accountId)
    .where('registration_id', '=', registrationId)
    .returning('registration_id')
    .executeTakeFirst();
  return deleted !== undefined;
}
