import type { Message } from '@calls/api-contract';
import type { Selectable } from 'kysely';
import { asJson } from '../as-json.ts';
import { pagesOf, type PageSource } from '../keyset.ts';
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

/** In the order in which they were said. */
export function messagesOf(db: Database, callId: string): PageSource<CallMessageRow> {
  return pagesOf(db.selectFrom('call_messages').selectAll().where('call_id', '=', callId), {
    by: ['seq'],
    direction: 'asc',
    keyOf: (row) => [row.seq],
  });
}

/** What the last stage of a call that has messages holds: the newest `limit` of them, in order. */
export async function lastStageMessages(db: Database, callId: string, limit: number): Promise<Message[]> {
  const rows = await db
    .selectFrom('call_messages')
    .select('message')
    .where('call_id', '=', callId)
    .where('stage_id', '=', (eb) =>
      eb
        .selectFrom('call_messages')
        .select('stage_id')
        .where('call_id', '=', callId)
        .orderBy('seq', 'desc')
        .limit(1),
    )
    .orderBy('message_index', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ message }) => message).reverse();
}
