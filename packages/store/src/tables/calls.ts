import type { BillingStatus, CreatedCall, EndReason, RecordingInfo } from '@calls/api-contract';
import { sql, type Selectable } from 'kysely';
import { asJson, asText } from '../as-json.ts';
import { pagesOf, type PageSource } from '../keyset.ts';
import type { CallSettings, CallTable } from '../schema/call.ts';
import type { Database } from '../store.ts';

export type CallRow = Selectable<CallTable>;

export interface NewCall {
  callId: string;
  accountId: string;
  firstStageId: string;
  createdAt: Date;
  expiresAt: Date;
  voiceId: string;
  settings: CallSettings;
  outboxId: string;
  /** How long the outbox row is left to its writer. */
  outboxDelayMs: number;
  message: CreatedCall;
}

/** The call, its first stage and the message about it: all or nothing, in one statement. */
export function insertCall(db: Database, call: NewCall): Promise<CallRow> {
  return db
    .with('call', (cte) =>
      cte
        .insertInto('calls')
        .values({
          call_id: call.callId,
          account_id: call.accountId,
          created_at: call.createdAt,
          expires_at: call.expiresAt,
          joined_at: null,
          ended_at: null,
          end_reason: null,
          client_version: null,
          voice_id: call.voiceId,
          billed_duration_ms: null,
          side_input_tokens: null,
          side_output_tokens: null,
          short_summary: null,
          summary: null,
          recording_key: null,
          recording_duration_ms: null,
          recording_bytes: null,
          metadata: asJson(call.settings.metadata),
          settings: asJson(call.settings),
        })
        .returningAll(),
    )
    .with('stage', (cte) =>
      cte.insertInto('call_stages').values({
        stage_id: call.firstStageId,
        call_id: call.callId,
        stage_index: 0,
        created_at: call.createdAt,
        ended_at: null,
        overrides: '{}',
      }),
    )
    .with('message', (cte) =>
      cte.insertInto('outbox').values({
        outbox_id: call.outboxId,
        topic: 'created_call',
        payload: asJson(call.message),
        due_at: sql<Date>`now() + make_interval(secs => ${call.outboxDelayMs / 1000})`,
      }),
    )
    .selectFrom('call')
    .selectAll()
    .executeTakeFirstOrThrow();
}

export function findCall(db: Database, accountId: string, callId: string): Promise<CallRow | undefined> {
  return db
    .selectFrom('calls')
    .selectAll()
    .where('call_id', '=', callId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

/** The call, whoever's it is: for what the service does by itself. */
export function findAnyCall(db: Database, callId: string): Promise<CallRow | undefined> {
  return db.selectFrom('calls').selectAll().where('call_id', '=', callId).executeTakeFirst();
}

/** Newest first. */
export function callsOf(db: Database, accountId: string): PageSource<CallRow> {
  return pagesOf(db.selectFrom('calls').selectAll().where('account_id', '=', accountId), {
    by: ['created_at', 'call_id'],
    direction: 'desc',
    keyOf: (row) => [row.created_at.toISOString(), row.call_id],
  });
}

/** Forward only: a call that is joined or ended keeps its times. */
export async function markJoined(
  db: Database,
  callId: string,
  joined: { at: Date; clientVersion: string | null },
): Promise<void> {
  await db
    .updateTable('calls')
    .set((eb) => ({
      joined_at: eb.fn.coalesce('joined_at', eb.val(joined.at)),
      client_version: eb.fn.coalesce(
        'client_version',
        eb.val(joined.clientVersion && asText(joined.clientVersion)),
      ),
      expires_at: sql<Date>`case when joined_at is not null or ended_at is not null then expires_at
        else ${joined.at}::timestamptz + (settings->>'maxDuration')::interval end`,
    }))
    .where('call_id', '=', callId)
    .execute();
}

export interface CallEnd {
  at: Date;
  endReason: EndReason;
  joinedAt: Date | null;
  inputTokens: number | null;
  outputTokens: number | null;
}

/** Forward only. What was ended by this, or undefined where the call had ended already or is unknown. */
export function markEnded(
  db: Database,
  callId: string,
  end: CallEnd,
): Promise<Pick<CallRow, 'call_id' | 'account_id' | 'joined_at' | 'ended_at'> | undefined> {
  return db
    .updateTable('calls')
    .set((eb) => ({
      ended_at: end.at,
      end_reason: end.endReason,
      joined_at: eb.fn.coalesce('joined_at', eb.val(end.joinedAt)),
      side_input_tokens: end.inputTokens,
      side_output_tokens: end.outputTokens,
    }))
    .where('call_id', '=', callId)
    .where('ended_at', 'is', null)
    .returning(['call_id', 'account_id', 'joined_at', 'ended_at'])
    .executeTakeFirst();
}

/** Also for a call that was ended without its worker. */
export async function storeRecording(db: Database, callId: string, recording: RecordingInfo): Promise<void> {
  await db
    .updateTable('calls')
    .set({
      recording_key: recording.key,
      recording_duration_ms: recording.durationMs,
      recording_bytes: recording.bytes,
    })
    .where('call_id', '=', callId)
    .execute();
}

/** Final: a call whose bill is settled keeps it. */
export async function settleBill(
  db: Database,
  callId: string,
  bill: { status: BillingStatus; billedDurationMs: number },
): Promise<void> {
  await db
    .updateTable('calls')
    .set({ billing_status: bill.status, billed_duration_ms: bill.billedDurationMs })
    .where('call_id', '=', callId)
    .where('billing_status', '=', 'BILLING_STATUS_PENDING')
    .execute();
}

export async function storeSummary(
  db: Database,
  callId: string,
  summary: { shortSummary: string; summary: string },
): Promise<void> {
  await db
    .updateTable('calls')
    .set({ short_summary: asText(summary.shortSummary), summary: asText(summary.summary) })
    .where('call_id', '=', callId)
    .execute();
}

/** Live calls whose time ran out at least `graceMs` ago by the database's clock, oldest first. */
export function listOverdueCalls(
  db: Database,
  options: { unjoinedGraceMs: number; joinedGraceMs: number; limit: number },
): Promise<Pick<CallRow, 'call_id' | 'joined_at' | 'expires_at'>[]> {
  return db
    .selectFrom('calls')
    .select(['call_id', 'joined_at', 'expires_at'])
    .where('ended_at', 'is', null)
    .where(
      'expires_at',
      '<',
      sql<Date>`now() - make_interval(secs => case when joined_at is null
        then ${options.unjoinedGraceMs / 1000}::float8 else ${options.joinedGraceMs / 1000}::float8 end)`,
    )
    .orderBy('expires_at')
    .limit(options.limit)
    .execute();
}
