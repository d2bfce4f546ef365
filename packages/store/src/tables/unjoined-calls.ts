import type { BillingStatus, EndReason } from '@calls/api-contract/rest/enums';
import { sql } from 'kysely';
import type { Database } from '../store.ts';

export interface UnjoinedEnd {
  callId: string;
  /** Of the log entry that reports the end. */
  seq: number;
  at: Date;
  endReason: EndReason;
  inputTokens: number | null;
  outputTokens: number | null;
  billingStatus: BillingStatus;
}

/**
 * Ends and bills calls that were never joined, all in one statement: the same as `claimEvent`, `markEnded` and `settleBill`
 * in a transaction. Leaves out calls whose end has other effects: joined ones, and those with callbacks or webhooks. For each
 * end: whether it took effect.
 */
export async function endUnjoinedCalls(db: Database, ends: readonly UnjoinedEnd[]): Promise<boolean[]> {
  const given = ends.map((end) => ({
    call_id: end.callId,
    seq: end.seq,
    at: end.at,
    end_reason: end.endReason,
    input_tokens: end.inputTokens,
    output_tokens: end.outputTokens,
    billing_status: end.billingStatus,
  }));
  // Rows are locked in one order before the entries are claimed, so that a claimed entry always takes effect.
  const { rows } = await sql<{ call_id: string }>`
    with ending as (
      select given.* from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given (
        call_id uuid, seq integer, at timestamptz, end_reason text,
        input_tokens integer, output_tokens integer, billing_status text)
      join calls using (call_id)
      where joined_at is null and ended_at is null and settings->'callbacks' is null and not exists (
        select from webhooks w
        where w.account_id = calls.account_id and (w.agent_id is null or w.agent_id = calls.agent_id))
      order by call_id for no key update of calls
    ), claimed as (
      insert into call_event_log (call_id, seq, type) select call_id, seq, 'ended' from ending
      on conflict do nothing returning call_id
    )
    update calls set ended_at = at, end_reason = ending.end_reason, transfer_to = null,
      side_input_tokens = input_tokens, side_output_tokens = output_tokens,
      billing_status = ending.billing_status, billed_duration_ms = 0
    from ending join claimed using (call_id)
    where calls.call_id = ending.call_id
    returning calls.call_id`.execute(db);
  const ended = new Set(rows.map((row) => row.call_id));
  return ends.map(({ callId }) => ended.has(callId));
}
