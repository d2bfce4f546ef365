import type { Message } from '@calls/api-contract/rest/message';
import { sql, type Selectable } from 'kysely';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { CallMessageTable } from '../schema/call-tables.ts';
import type { Database } from '../store.ts';
import { claimWithRow } from './call-events.ts';
import { hasBegun, isInCall } from './stage-conditions.ts';

export type CallMessageRow = Selectable<CallMessageTable>;

/**
 * Applies an entry of the call's log that adds a message; false if it already took effect. A later message with the same
 * index replaces the text in place, when the user continued the utterance. Entries may arrive in any order.
 */
export function claimWithMessage(
  db: Database,
  type: string,
  added: { callId: string; stageId: string; index: number; seq: number; addedAt: Date; message: Message },
): Promise<boolean> {
  const { callId, seq } = added;
  return claimWithRow(
    db,
    { callId, seq, type },
    {
      table: 'call_messages',
      row: {
        call_id: callId,
        stage_id: added.stageId,
        message_index: added.index,
        seq,
        role: added.message.role ?? 'MESSAGE_ROLE_UNSPECIFIED',
        added_at: added.addedAt,
        message: added.message,
      },
      onConflict: sql`on conflict (call_id, stage_id, message_index) do update set
        seq = least(call_messages.seq, excluded.seq),
        message = case when excluded.seq > call_messages.seq then excluded.message else call_messages.message end`,
    },
  );
}

const inOrder = orderedBy('asc', 'seq');

function messages(db: Database, callId: string) {
  return db
    .selectFrom('call_messages')
    .selectAll('call_messages')
    .where('call_messages.call_id', '=', callId);
}

/** Messages of a stage, including those that it began with. */
export function stageMessagesOf(db: Database, callId: string, stageId: string): PageSource<CallMessageRow> {
  return pagesOf(messages(db, callId).where('stage_id', '=', stageId), inOrder);
}

/** Messages of the last stage that began, including those that it began with. */
export function lastStageMessagesOf(db: Database, callId: string): PageSource<CallMessageRow> {
  const lastStage = db
    .selectFrom('call_stages')
    .select('call_stages.stage_id')
    .where('call_stages.call_id', '=', callId)
    .where(hasBegun)
    .orderBy('stage_index', 'desc')
    .limit(1);
  return pagesOf(messages(db, callId).where('stage_id', '=', lastStage), inOrder);
}

/** Messages said in the call, without those that its stages began with. */
export function inCallMessagesOf(db: Database, callId: string): PageSource<CallMessageRow> {
  return pagesOf(messages(db, callId).where(isInCall), inOrder);
}

export function findInCallMessage(
  db: Database,
  place: { callId: string; stageId: string; index: number },
): Promise<CallMessageRow | undefined> {
  return messages(db, place.callId)
    .where('stage_id', '=', place.stageId)
    .where('message_index', '=', place.index)
    .where(isInCall)
    .executeTakeFirst();
}

/** The newest `limit` messages of the call's last stage that has messages, in order. */
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
