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
