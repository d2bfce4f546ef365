import { sql, type RawBuilder, type Transaction } from 'kysely';
import { asJson } from '../as-json.ts';
import type { Schema } from '../schema/index.ts';
import type { Database } from '../store.ts';

interface SealedColumn {
  key: readonly string[];
  column: string;
  type: 'jsonb' | 'text';
  /** SQL over the row `t`. */
  account: string;
  /** SQL for the part of the encryption context besides the account. */
  detail?: string;
}

const OWN = 't.account_id';

/** Columns that store encrypted secrets. */
const SEALED_COLUMNS = {
  agent_revisions: {
    key: ['revision_id'],
    column: 'template',
    type: 'jsonb',
    account: '(select account_id from agents where agents.agent_id = t.agent_id)',
  },
  call_stages: {
    key: ['stage_id'],
    column: 'overrides',
    type: 'jsonb',
    account: '(select account_id from calls where calls.call_id = t.call_id)',
  },
  call_tools: { key: ['call_tool_id'], column: 'sealed_auth', type: 'text', account: OWN },
  calls: { key: ['call_id'], column: 'settings', type: 'jsonb', account: OWN },
  outbox: {
    key: ['outbox_id'],
    column: 'payload',
    type: 'jsonb',
    account: `coalesce(t.payload #>> '{spec,accountId}', t.payload ->> 'accountId')`,
    detail: 't.topic',
  },
  scheduled_batches: { key: ['batch_id'], column: 'webhook_secret', type: 'text', account: OWN },
  scheduled_calls: {
    key: ['batch_id', 'call_index'],
    column: 'request',
    type: 'jsonb',
    account: '(select account_id from scheduled_batches b where b.batch_id = t.batch_id)',
  },
  sip_configs: { key: ['account_id'], column: 'fallback_handler', type: 'jsonb', account: OWN },
  sip_registrations: { key: ['registration_id'], column: 'sealed_password', type: 'text', account: OWN },
  sip_trunks: { key: ['trunk_id'], column: 'credentials', type: 'jsonb', account: OWN },
  telephony_configs: { key: ['account_id', 'provider'], column: 'secrets', type: 'jsonb', account: OWN },
  tts_api_keys: {
    key: ['account_id', 'provider'],
    column: 'sealed_key',
    type: 'text',
    account: OWN,
    detail: 't.provider',
  },
  voices: { key: ['voice_id'], column: 'engine_settings', type: 'jsonb', account: OWN },
  webhook_deliveries: { key: ['delivery_id'], column: 'content', type: 'text', account: OWN },
  webhooks: { key: ['webhook_id'], column: 'secrets', type: 'jsonb', account: OWN },
} satisfies Partial<Record<keyof Schema, SealedColumn>>;

export type SealedTable = keyof typeof SEALED_COLUMNS;

export const SEALED_TABLES = Object.keys(SEALED_COLUMNS) as readonly SealedTable[];

/** A row's column with secrets, and their encryption context. */
export interface SealedValue {
  accountId: string | null;
  /** The topic of an outbox row, or the provider of a provider key. */
  detail: string | null;
  value: unknown;
}

const BATCH = 100;

/**
 * Replaces stored texts that contain one of `marks`, row by row, with the result of `replace`. Concurrent
 * writes to a row wait. Resolves to the number of changed rows.
 */
export async function replaceSealed(
  db: Database,
  table: SealedTable,
  marks: readonly string[],
  replace: (value: SealedValue) => unknown,
): Promise<number> {
  const place: SealedColumn = SEALED_COLUMNS[table];
  let changed = 0;
  let after: readonly string[] | null = null;
  do {
    after = await db.transaction().execute(async (transaction) => {
      const rows = await takeBatch(transaction, table, place, marks, after);
      for (const row of rows) {
        const next = replace(row);
        if (asJson(next) === asJson(row.value)) continue;
        await write(transaction, table, place, row.key, next);
        changed += 1;
      }
      return rows.length < BATCH ? null : (rows.at(-1)?.key ?? null);
    });
  } while (after !== null);
  return changed;
}

async function takeBatch(
  db: Transaction<Schema>,
  table: SealedTable,
  { key, column, account, detail = 'null' }: SealedColumn,
  marks: readonly string[],
  after: readonly string[] | null,
): Promise<(SealedValue & { key: string[] })[]> {
  const keys = sql.join(key.map((name) => sql.ref(`t.${name}`)));
  const { rows } = await sql<SealedValue & { key: string[] }>`
    select array[${sql.join(key.map((name) => sql`${sql.ref(`t.${name}`)}::text`))}] as key,
      ${sql.raw(account)}::text as "accountId", ${sql.raw(detail)}::text as detail,
      to_jsonb(${sql.ref(`t.${column}`)}) as value
    from ${sql.table(table)} as t
    where ${contains(sql.ref(`t.${column}`), marks)} and ${after === null ? sql`true` : sql`(${keys}) > (${sql.join(after)})`}
    order by ${keys} limit ${BATCH} for update of t`.execute(db);
  return rows;
}

async function write(
  db: Transaction<Schema>,
  table: SealedTable,
  { key, column, type }: SealedColumn,
  of: readonly string[],
  value: unknown,
): Promise<void> {
  const next = type === 'text' ? sql`${value}` : sql`${asJson(value)}::jsonb`;
  const isRow = key.map((name, index) => sql`${sql.ref(name)} = ${of[index]}`);
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${next} where ${sql.join(isRow, sql` and `)}`.execute(
    db,
  );
}

/** Number of rows that contain one of `marks`, by table, over all tables; tables without such rows are omitted. */
export async function countRowsWith(db: Database, marks: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql<{ total: number }>`
      select count(*) as total from ${sql.table(name)} as t where ${contains(sql`t`, marks)}`.execute(db);
    if (rows[0] && rows[0].total > 0) found.set(name, rows[0].total);
  }
  return found;
}

function contains(what: RawBuilder<unknown>, marks: readonly string[]): RawBuilder<boolean> {
  const patterns = marks.map((mark) => `%${mark.replaceAll(/[\\%_]/gu, '\\$&')}%`);
  return sql`${what}::text like any (${patterns})`;
}
