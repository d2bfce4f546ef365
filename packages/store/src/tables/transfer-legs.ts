import type { Insertable } from 'kysely';
import type { TransferLegTable } from '../schema/telephony-tables.ts';
import type { Database } from '../store.ts';

/** Records a call to the person of a warm transfer. False if the leg is already recorded. */
export async function insertTransferLeg(db: Database, leg: Insertable<TransferLegTable>): Promise<boolean> {
  const inserted = await db
    .insertInto('transfer_legs')
    .values(leg)
    .onConflict((conflict) => conflict.column('leg_id').doNothing())
    .returning('leg_id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Live legs through a trunk. A leg ends with the call of the user at the latest. */
export async function liveLegsOf(db: Database, trunkId: string, exceptLegId?: string): Promise<number> {
  let legs = db
    .selectFrom('transfer_legs')
    .innerJoin('calls', 'calls.call_id', 'transfer_legs.call_id')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('transfer_legs.sip_trunk_id', '=', trunkId)
    .where('transfer_legs.ended_at', 'is', null)
    .where('calls.ended_at', 'is', null);
  if (exceptLegId !== undefined) legs = legs.where('leg_id', '<>', exceptLegId);
  const { total } = await legs.executeTakeFirstOrThrow();
  return total;
}

/** Ends a leg of the call. `legId` null: all legs that began before. */
export async function endTransferLegs(
  db: Database,
  callId: string,
  { legId, at }: { legId: string | null; at: Date },
): Promise<void> {
  const legs = db
    .updateTable('transfer_legs')
    .set({ ended_at: at })
    .where('call_id', '=', callId)
    .where('ended_at', 'is', null);
  await (legId === null ? legs.where('started_at', '<=', at) : legs.where('leg_id', '=', legId)).execute();
}
