import type { Message } from '@calls/api-contract';
import type { Selectable } from 'kysely';
import { asJson } from '../as-json.ts';
import type { CallMessageTable } from '../schema/call-message.ts';
import type { Database } from '../store.ts';

export type CallMessageRow = Selectable<CallMessageTable>;

export async function insertMessage(
  db: Database,
  added: { callId: string; stageId: string; index: number; seq: number; addedAt: Date; message: Message },
): Promise<void> {
  await db
    .insertInto('call_messages')
    .values({
      call_id: added.callId,
      stage_id: added.stageId,
      message_index: added.index,
      seq: added.seq,
      role: added.message.role ?? 'MESSAGE_ROLE_UNSPECIFIED',
      added_at: added.addedAt,
      message: asJson(added.message),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** In the order in which they were said; `fromSeq` is exclusive. */
export function listMessages(
  db: Database,
  callId: string,
  page: { fromSeq: number | null; direction: 'next' | 'previous'; limit: number },
): Promise<CallMessageRow[]> {
  let query = db
    .selectFrom('call_messages')
    .selectAll()
    .where('call_id', '=', callId)
    .orderBy('seq', page.direction === 'next' ? 'asc' : 'desc')
    .limit(page.limit);
  if (page.fromSeq !== null) query = query.where('seq', page.direction === 'next' ? '>' : '<', page.fromSeq);
  return query.execute();
}

export async function countMessages(db: Database, callId: string): Promise<number> {
  const row = await db
    .selectFrom('call_messages')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('call_id', '=', callId)
    .executeTakeFirstOrThrow();
  return row.total;
}
