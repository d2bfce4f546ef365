import type { BillingStatus, EndReason } from '@calls/api-contract/rest/enums';
import { preparedStatement } from '../prepared-statement.ts';
import type { Database } from '../store.ts';

export interface UnjoinedEnd {
  callId: string;
  /** Sequence number of the log entry that reports the end. */
  seq: number;
  at: Date;
  endReason: EndReason;
  inputTokens: number | null;
  outputTokens: number | null;
  billingStatus: BillingStatus;
}

// Rows are locked in one order before the entries are claimed, so that a claimed entry always takes effect. A subquery that
// locks is run for each end, and finds its call by id. As a join, it could read all live calls instead.
const endUnjoined = preparedStatement<{ call_id: string }>(
  'end_unjoined_calls',
  `with given as (
    select * from unnest($1::uuid[], $2::integer[], $3::timestamptz[], $4::text[], $5::integer[], $6::integer[], $7::text[])
      as given (call_id, seq, at, end_reason, input_tokens, output_tokens, billing_status)
    order by call_id
  ), ending as (
    select given.* from given cross join lateral (
      select from calls
      where calls.call_id = given.call_id and joined_at is null and ended_at is null
        and provider_call_id is null and settings->'callbacks' is null and not exists (
          select from webhooks w
          where w.account_id = calls.account_id and (w.agent_id is null or w.agent_id = calls.agent_id))
      for no key update of calls
    ) as unjoined
  ), claimed as (
    insert into call_event_log (call_id, seq, type) select call_id, seq, 'ended' from ending
    on conflict do nothing returning call_id
  )
  update calls set ended_at = at, transfer_to = null,
    end_reason = case when ending.end_reason = 'unjoined' and refused_at is not null then 'system_error' else ending.end_reason end,
    side_input_tokens = input_tokens, side_output_tokens = output_tokens,
    billing_status = ending.billing_status, billed_duration_ms = 0
  from ending join claimed using (call_id)
  where calls.call_id = ending.call_id
  returning calls.call_id`,
);

/**
 * Ends and bills calls that were never joined, all in one statement: the same as `claimEvent`, `markEnded` and `settleBill`
 * in a transaction. Leaves out calls whose end has other effects: joined ones, those with callbacks or webhooks, and those
 * whose phone may ring. For each end: whether it took effect.
 */
export async function endUnjoinedCalls(db: Database, ends: readonly UnjoinedEnd[]): Promise<boolean[]> {
  const columnOf = <K extends keyof UnjoinedEnd>(key: K): UnjoinedEnd[K][] => ends.map((end) => end[key]);
  const { rows } = await db.executeQuery(
    endUnjoined(
      columnOf('callId'),
      columnOf('seq'),
      columnOf('at'),
      columnOf('endReason'),
      columnOf('inputTokens'),
      columnOf('outputTokens'),
      columnOf('billingStatus'),
    ),
  );
  const ended = new Set(rows.map((row) => row.call_id));
  return ends.map(({ callId }) => ended.has(callId));
}
