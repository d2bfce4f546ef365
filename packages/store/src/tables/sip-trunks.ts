import type { Insertable, Selectable, Updateable } from 'kysely';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { SipTrunkTable, StoredCredentials, TransferLegTable } from '../schema/telephony-tables.ts';
import type { Database } from '../store.ts';
import { lockAccount } from './accounts.ts';
import { insertTransferLeg, liveLegsOf } from './transfer-legs.ts';

export type { StoredCredentials };

export type SipTrunkRow = Selectable<SipTrunkTable>;

function ofAccount(db: Database, accountId: string) {
  return db.selectFrom('sip_trunks').selectAll().where('account_id', '=', accountId);
}

/** Newest first. */
export function sipTrunksOf(db: Database, accountId: string): PageSource<SipTrunkRow> {
  return pagesOf(ofAccount(db, accountId), orderedBy('desc', 'created_at', 'trunk_id'));
}

/** The trunks that take and place calls. */
export function enabledSipTrunks(db: Database, accountId: string): Promise<SipTrunkRow[]> {
  return ofAccount(db, accountId).where('enabled', '=', true).orderBy('created_at').execute();
}

export function findSipTrunk(
  db: Database,
  accountId: string,
  trunkId: string,
): Promise<SipTrunkRow | undefined> {
  return ofAccount(db, accountId).where('trunk_id', '=', trunkId).executeTakeFirst();
}

/** Null if the account already has `limit` trunks. */
export function insertSipTrunk(
  db: Database,
  trunk: Insertable<SipTrunkTable>,
  limit: number,
): Promise<SipTrunkRow | null> {
  return db.transaction().execute(async (tx) => {
    await lockAccount(tx, trunk.account_id);
    const { total } = await tx
      .selectFrom('sip_trunks')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('account_id', '=', trunk.account_id)
      .executeTakeFirstOrThrow();
    if (total >= limit) return null;
    return tx.insertInto('sip_trunks').values(trunk).returningAll().executeTakeFirstOrThrow();
  });
}

/** Undefined if there is no such trunk. */
export function updateSipTrunk(
  db: Database,
  accountId: string,
  trunkId: string,
  change: Updateable<SipTrunkTable>,
): Promise<SipTrunkRow | undefined> {
  return db
    .updateTable('sip_trunks')
    .set(change)
    .where('account_id', '=', accountId)
    .where('trunk_id', '=', trunkId)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteSipTrunk(db: Database, accountId: string, trunkId: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('sip_trunks')
    .where('account_id', '=', accountId)
    .where('trunk_id', '=', trunkId)
    .returning('trunk_id')
    .executeTakeFirst();
  return deleted !== undefined;
}

/**
 * Counts a new call in its trunk. Exact: concurrent callers wait until the transaction ends. Returns false, and changes
 * nothing, if the trunk does not exist or has its maximum of live calls.
 */
export async function countTrunkCall(tx: Database, trunkId: string, callId: string): Promise<boolean> {
  if (!(await lockTrunkWithRoom(tx, trunkId))) return false;
  await tx.updateTable('calls').set({ sip_trunk_id: trunkId }).where('call_id', '=', callId).execute();
  return true;
}

/** Counts a call to the person of a warm transfer in its trunk, like `countTrunkCall`. True if it is already counted. */
export function countTrunkLeg(
  db: Database,
  leg: Insertable<TransferLegTable> & { sip_trunk_id: string },
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    // The leg itself does not count when its request is repeated.
    const hasRoom = await lockTrunkWithRoom(tx, leg.sip_trunk_id, leg.leg_id);
    if (hasRoom) await insertTransferLeg(tx, leg);
    return hasRoom;
  });
}

async function lockTrunkWithRoom(tx: Database, trunkId: string, exceptLegId?: string): Promise<boolean> {
  const trunk = await tx
    .selectFrom('sip_trunks')
    .select('max_calls')
    .where('trunk_id', '=', trunkId)
    .forUpdate()
    .executeTakeFirst();
  if (!trunk) return false;
  if (trunk.max_calls === null) return true;
  const calls = await tx
    .selectFrom('calls')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('sip_trunk_id', '=', trunkId)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  return calls.total + (await liveLegsOf(tx, trunkId, exceptLegId)) < trunk.max_calls;
}
