import type { AuditChanges, AdminAction } from '@calls/api-contract/rest/audit-log';
import { sql, type Selectable } from 'kysely';
import { asJson } from '../as-json.ts';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { AuditLogTable } from '../schema/account-tables.ts';
import type { Database } from '../store.ts';

export interface NewAuditLogEntry {
  entryId: string;
  at: Date;
  administrator: string;
  action: AdminAction;
  accountId: string;
  apiKeyPrefix: string | null;
  changes: AuditChanges;
  sourceAddress: string;
  requestId: string;
}

/** Runs in the transaction of the action, so that there is neither without the other. */
export async function insertAuditLogEntry(tx: Database, entry: NewAuditLogEntry): Promise<void> {
  await tx
    .insertInto('audit_log')
    .values({
      entry_id: entry.entryId,
      at: entry.at,
      administrator: entry.administrator,
      action: entry.action,
      account_id: entry.accountId,
      api_key_prefix: entry.apiKeyPrefix,
      changes: asJson(entry.changes),
      source_address: entry.sourceAddress,
      request_id: entry.requestId,
    })
    .execute();
}

export type AuditLogRow = Selectable<AuditLogTable>;

/** Entries of one account or of all, newest first. */
export function auditLogOf(db: Database, accountId?: string): PageSource<AuditLogRow> {
  let rows = db.selectFrom('audit_log').selectAll();
  if (accountId !== undefined) rows = rows.where('account_id', '=', accountId);
  return pagesOf(rows, orderedBy('desc', 'at', 'entry_id'));
}

/** Returns the number of deleted entries, at most `limit`. */
export async function deleteOldAuditLogEntries(
  db: Database,
  { olderThanDays, limit }: { olderThanDays: number; limit: number },
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('audit_log')
    .where('entry_id', 'in', (eb) =>
      eb
        .selectFrom('audit_log')
        .select('entry_id')
        .where('at', '<', sql<Date>`now() - make_interval(days => ${olderThanDays}::int)`)
        .orderBy('at')
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
