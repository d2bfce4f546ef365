import { sql } from 'kysely';
import type { Schema } from '../schema/index.ts';
import type { Database } from '../store.ts';

/** Tables with credentials and keys of an account, or with texts that may contain some. */
const CREDENTIALS = [
  'api_keys',
  'account_invitations',
  'tts_api_keys',
  'telephony_configs',
  'sip_registrations',
  'sip_trunks',
  'sip_configs',
  'webhooks',
  'tools',
  'mcp_tool_lists',
  'test_runs',
] as const;

/** Columns of rows that remain, which may contain sealed secrets. */
const WITH_SECRETS = [
  { table: 'agent_revisions', column: 'template', type: 'jsonb', through: ['agents', 'agent_id'] },
  { table: 'scheduled_calls', column: 'request', type: 'jsonb', through: ['scheduled_batches', 'batch_id'] },
  { table: 'scheduled_batches', column: 'webhook_secret', type: 'text' },
  { table: 'voices', column: 'engine_settings', type: 'jsonb' },
] as const satisfies readonly {
  table: keyof Schema;
  column: string;
  type: 'jsonb' | 'text';
  /** The table with the account, and the column that refers to it. Default: the table itself. */
  through?: readonly [keyof Schema, string];
}[];

/** Matches texts that a SecretBox sealed. It excludes quotes, so that JSON stays valid when the texts are removed. */
const SEALED = 'sealed:v1:[^"]*';

/** Deletes the API keys of an account, the credentials that it stored, and the secrets in rows that remain. */
export async function deleteCredentials(tx: Database, accountId: string): Promise<void> {
  for (const table of CREDENTIALS) {
    await tx.deleteFrom(table).where('account_id', '=', accountId).execute();
  }
  for (const place of WITH_SECRETS) await removeSecrets(tx, accountId, place);
}

function removeSecrets(
  tx: Database,
  accountId: string,
  place: (typeof WITH_SECRETS)[number],
): Promise<unknown> {
  const column = sql.ref(place.column);
  const isOwn =
    'through' in place
      ? sql`${sql.ref(place.through[1])} in (select ${sql.ref(place.through[1])}
          from ${sql.table(place.through[0])} where account_id = ${accountId})`
      : sql`account_id = ${accountId}`;
  return sql`update ${sql.table(place.table)}
    set ${column} = regexp_replace(${column}::text, ${SEALED}, '', 'g')::${sql.raw(place.type)}
    where ${isOwn} and ${column}::text ~ ${SEALED}`.execute(tx);
}
