import type { CallThrottleRule } from '@calls/api-contract/rest/call-throttle';
import type { Selectable } from 'kysely';
import { asJson } from '../as-json.ts';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { CallThrottleTable } from '../schema/call-tables.ts';
import type { Database } from '../store.ts';

export type CallThrottleRow = Selectable<CallThrottleTable>;

function ofAccount(db: Database, accountId: string) {
  return db.selectFrom('call_throttles').selectAll().where('account_id', '=', accountId);
}

/** Newest first. */
export function callThrottlesOf(db: Database, accountId: string): PageSource<CallThrottleRow> {
  return pagesOf(ofAccount(db, accountId), orderedBy('desc', 'created_at', 'throttle_id'));
}

export function findCallThrottle(
  db: Database,
  accountId: string,
  throttleId: string,
): Promise<CallThrottleRow | undefined> {
  return ofAccount(db, accountId).where('throttle_id', '=', throttleId).executeTakeFirst();
}

export function findCallThrottleByName(
  db: Database,
  accountId: string,
  name: string,
): Promise<CallThrottleRow | undefined> {
  return ofAccount(db, accountId).where('name', '=', name).executeTakeFirst();
}

/** Throws a unique violation if the account has a throttle of this name. */
export function insertCallThrottle(
  db: Database,
  row: Omit<CallThrottleRow, 'rules'> & { rules: CallThrottleRule[] },
): Promise<CallThrottleRow> {
  return db
    .insertInto('call_throttles')
    .values({ ...row, rules: asJson(row.rules) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Undefined if there is no such throttle. Throws a unique violation if another one has the name. */
export function updateCallThrottle(
  db: Database,
  accountId: string,
  throttleId: string,
  change: { name?: string | undefined; rules?: CallThrottleRule[] | undefined },
): Promise<CallThrottleRow | undefined> {
  return db
    .updateTable('call_throttles')
    .set({
      throttle_id: throttleId,
      ...(change.name !== undefined && { name: change.name }),
      ...(change.rules !== undefined && { rules: asJson(change.rules) }),
    })
    .where('account_id', '=', accountId)
    .where('throttle_id', '=', throttleId)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteCallThrottle(
  db: Database,
  accountId: string,
  throttleId: string,
): Promise<boolean> {
  const deleted = await db
    .deleteFrom('call_throttles')
    .where('account_id', '=', accountId)
    .where('throttle_id', '=', throttleId)
    .returning('throttle_id')
    .executeTakeFirst();
  return deleted !== undefined;
}
