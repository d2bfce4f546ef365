import { ANSWERED_BY_EVENT, type RecordingInfo, type SipFacts } from '@calls/api-contract/bus/call-log-entry';
import type { AnsweredBy, BillingStatus, EndReason } from '@calls/api-contract/rest/enums';
import { sql, type Selectable } from 'kysely';
import { asText } from '../as-json.ts';
import type { CallTable } from '../schema/call-tables.ts';
import type { Database } from '../store.ts';

export type CallRow = Selectable<CallTable>;

export function findCall(db: Database, accountId: string, callId: string): Promise<CallRow | undefined> {
  return db
    .selectFrom('calls')
    .selectAll()
    .where('call_id', '=', callId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

/** The call of any account, for internal use. */
export function findAnyCall(db: Database, callId: string): Promise<CallRow | undefined> {
  return db.selectFrom('calls').selectAll().where('call_id', '=', callId).executeTakeFirst();
}

/** Forward only: does not change the times of a joined or ended call. */
export async function markJoined(
  db: Database,
  callId: string,
  joined: { at: Date; clientVersion: string | null; workerId: string },
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
      worker_id: joined.workerId,
    }))
    .where('call_id', '=', callId)
    .execute();
}

/** Records what answered an outgoing call, unless a later event (by `seq`) corrected it. */
export async function markAnsweredBy(
  db: Database,
  callId: string,
  { answeredBy, seq }: { answeredBy: AnsweredBy; seq: number },
): Promise<void> {
  await db
    .updateTable('calls')
    .set({ answered_by: answeredBy })
    .where('call_id', '=', callId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('call_events')
            .select('seq')
            .where('call_id', '=', callId)
            .where('type', '=', ANSWERED_BY_EVENT)
            .where('seq', '>', seq),
        ),
      ),
    )
    .execute();
}

/** Records the worker that holds the call. */
export async function markHeldBy(db: Database, callId: string, workerId: string): Promise<void> {
  await db.updateTable('calls').set({ worker_id: workerId }).where('call_id', '=', callId).execute();
}

/** Records that a client was rejected for lack of capacity. */
export async function markRefused(db: Database, callId: string, at: Date): Promise<void> {
  await db
    .updateTable('calls')
    .set({ refused_at: at })
    .where('call_id', '=', callId)
    .where('joined_at', 'is', null)
    .where('ended_at', 'is', null)
    .execute();
}

/** True for the first caller only; false if the call has ended or is unknown. */
export async function markDialled(db: Database, callId: string, at: Date): Promise<boolean> {
  const marked = await db
    .updateTable('calls')
    .set({ dialled_at: at })
    .where('call_id', '=', callId)
    .where('dialled_at', 'is', null)
    .where('ended_at', 'is', null)
    .returning('call_id')
    .executeTakeFirst();
  return marked !== undefined;
}

/** Sets the provider's id of the phone call, or null when the provider has reported its end. Undefined if the call is deleted. */
export function setProviderCallId(
  db: Database,
  callId: string,
  providerCallId: string | null,
): Promise<CallRow | undefined> {
  return db
    .updateTable('calls')
    .set({ provider_call_id: providerCallId })
    .where('call_id', '=', callId)
    .returningAll()
    .executeTakeFirst();
}

export interface CallEnd {
  at: Date;
  endReason: EndReason;
  joinedAt: Date | null;
  inputTokens: number | null;
  outputTokens: number | null;
  /** Number or address to which the phone call is transferred. */
  transferTo?: string | undefined;
}

export type EndedCallRow = Pick<
  CallRow,
  'account_id' | 'joined_at' | 'free_seconds_reserved' | 'from_console' | 'retention_policy'
> & {
  /** The model that analyzes the call; null without analysis settings. */
  analysis_model: string | null;
};

/**
 * Forward only. An unjoined call whose clients were rejected ends with `system_error`. Answering machine detection of
 * an answered call that reported nothing concludes with `unknown`. Returns the ended call; undefined if the call had
 * already ended or is unknown.
 */
export function markEnded(db: Database, callId: string, end: CallEnd): Promise<EndedCallRow | undefined> {
  return db
    .updateTable('calls')
    .set((eb) => ({
      ended_at: end.at,
      end_reason: sql<EndReason>`case when ${end.endReason}::text = 'unjoined' and refused_at is not null
        then 'system_error' else ${end.endReason}::text end`,
      joined_at: eb.fn.coalesce('joined_at', eb.val(end.joinedAt)),
      side_input_tokens: end.inputTokens,
      side_output_tokens: end.outputTokens,
      answered_by: sql<AnsweredBy | null>`case when answered_by is null
        and coalesce(joined_at, ${end.joinedAt}::timestamptz) is not null
        and settings ? 'answeringMachineDetection' then 'unknown' else answered_by end`,
      transfer_to: sql<
        string | null
      >`case when retention_policy <> 'zdr' then ${end.transferTo === undefined ? null : asText(end.transferTo)}::text end`,
    }))
    .where('call_id', '=', callId)
    .where('ended_at', 'is', null)
    .returning([
      'account_id',
      'joined_at',
      'free_seconds_reserved',
      'from_console',
      'retention_policy',
      sql<string | null>`case when settings ? 'analysisSettings' then settings->>'model' end`.as(
        'analysis_model',
      ),
    ])
    .executeTakeFirst();
}

/** Also for a call that ended without its worker. */
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

/** Final: a settled bill does not change. */
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

/** Records the SIP part of the call and its billed time. */
export async function settleSip(
  db: Database,
  callId: string,
  { dialledAtMs, durationMs, terminationReason, logKey }: SipFacts,
  billedDurationMs: number,
): Promise<void> {
  await db
    .updateTable('calls')
    .set({
      sip_dialled_at: new Date(dialledAtMs),
      sip_duration_ms: Math.round(durationMs),
      sip_billed_duration_ms: billedDurationMs,
      sip_termination: terminationReason,
      sip_log_key: sql<string | null>`case when retention_policy <> 'zdr' then ${logKey}::text end`,
    })
    .where('call_id', '=', callId)
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

/** Workers that hold joined calls according to the database. */
export async function holdersOfJoinedCalls(db: Database): Promise<string[]> {
  const rows = await joinedCalls(db).select('worker_id').distinct().execute();
  return rows.flatMap(({ worker_id: workerId }) => workerId ?? []);
}

export interface LiveCallRow {
  callId: string;
  accountId: string;
  joinedAtMs: number | null;
}

/** At most `limit` of the joined calls that the worker holds. */
export async function joinedCallsOf(db: Database, workerId: string, limit: number): Promise<LiveCallRow[]> {
  const rows = await joinedCalls(db)
    .select(['account_id', 'call_id', 'joined_at'])
    .where('worker_id', '=', workerId)
    .limit(limit)
    .execute();
  return rows.map(liveCall);
}

function joinedCalls(db: Database) {
  return db
    .selectFrom('calls')
    .where('ended_at', 'is', null)
    .where('joined_at', 'is not', null)
    .where('worker_id', 'is not', null);
}

export interface OverdueCall extends LiveCallRow {
  expiresAtMs: number;
  /** A client was rejected for lack of capacity. */
  wasRefused: boolean;
}

/** Live calls whose deadline passed at least `graceMs` ago by the database's clock, oldest first. */
export async function listOverdueCalls(
  db: Database,
  options: { unjoinedGraceMs: number; joinedGraceMs: number; limit: number },
): Promise<OverdueCall[]> {
  const rows = await db
    .selectFrom('calls')
    .select(['account_id', 'call_id', 'joined_at', 'expires_at', 'refused_at'])
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
  return rows.map((row) => ({
    ...liveCall(row),
    expiresAtMs: row.expires_at.getTime(),
    wasRefused: row.refused_at !== null,
  }));
}

function liveCall(row: Pick<CallRow, 'account_id' | 'call_id' | 'joined_at'>): LiveCallRow {
  return {
    callId: row.call_id,
    accountId: row.account_id,
    joinedAtMs: row.joined_at?.getTime() ?? null,
  };
}

/** Counts the live calls of all accounts. The cost depends on the number of live calls only. */
export async function countLiveCalls(db: Database): Promise<{ created: number; joined: number }> {
  return db
    .selectFrom('calls')
    .select([
      sql<number>`count(*) filter (where joined_at is null)`.as('created'),
      sql<number>`count(*) filter (where joined_at is not null)`.as('joined'),
    ])
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
}
