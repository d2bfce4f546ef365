import { newId } from '@calls/foundation/ids';
import type { ControlPlaneHarness } from './control-plane-harness.ts';

/** The properties of a call that usage reports depend on. */
export interface UsedCall {
  createdMs: number;
  joinedMs: number | null;
  endedMs: number | null;
  endReason: string | null;
  billingStatus: string;
  billedMs: number | null;
  /** Billed duration of a SIP call. */
  sipBilledMs: number | null;
  agentId: string | null;
  isDeleted: boolean;
}

const SETTINGS = JSON.stringify({ maxDuration: '3600s', recordingEnabled: false });

export async function insertCalls(
  harness: ControlPlaneHarness,
  accountId: string,
  calls: readonly UsedCall[],
): Promise<void> {
  const at = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
  const rows = calls.map((call) => ({
    call_id: newId(),
    created_at: at(call.createdMs),
    joined_at: at(call.joinedMs),
    ended_at: at(call.endedMs),
    end_reason: call.endReason,
    billing_status: call.billingStatus,
    billed_duration_ms: call.billedMs,
    sip_billed_duration_ms: call.sipBilledMs,
    agent_id: call.agentId,
    is_deleted: call.isDeleted,
  }));
  await harness.query(
    `insert into calls (call_id, account_id, created_at, expires_at, joined_at, ended_at, end_reason, billing_status,
        billed_duration_ms, agent_id, metadata, settings)
      select call_id, $1, created_at, created_at + interval '1 day', joined_at, ended_at, end_reason, billing_status,
        billed_duration_ms, agent_id, '{}', $2
      from jsonb_to_recordset($3::jsonb) as row(call_id uuid, created_at timestamptz, joined_at timestamptz,
        ended_at timestamptz, end_reason text, billing_status text, billed_duration_ms integer, agent_id uuid)`,
    accountId,
    SETTINGS,
    JSON.stringify(rows),
  );
  // Calls are billed after they have ended.
  await harness.query(
    `update calls set sip_billed_duration_ms = row.sip_billed_duration_ms
      from jsonb_to_recordset($1::jsonb) as row(call_id uuid, sip_billed_duration_ms integer)
      where calls.call_id = row.call_id and row.sip_billed_duration_ms is not null`,
    JSON.stringify(rows),
  );
  const deleted = rows.filter((row) => row.is_deleted).map((row) => row.call_id);
  await harness.query('delete from calls where call_id = any($1::uuid[])', deleted);
}

export interface UsageSums {
  count: number;
  errors: number;
  joined: number;
  durationMs: number;
  billedMs: number;
}

/** Expected usage, computed call by call. */
export function usageOf(calls: readonly UsedCall[]): UsageSums {
  const sums = { count: 0, errors: 0, joined: 0, durationMs: 0, billedMs: 0 };
  for (const call of calls) {
    sums.count += 1;
    if (call.endReason === 'system_error' || call.endReason === 'connection_error') sums.errors += 1;
    if (call.joinedMs !== null) sums.joined += 1;
    if (call.joinedMs !== null && call.endedMs !== null) sums.durationMs += call.endedMs - call.joinedMs;
    if (call.billingStatus === 'BILLING_STATUS_BILLED') sums.billedMs += call.billedMs ?? 0;
  }
  return sums;
}

interface Level {
  max: number;
  avg: number;
}

/** Expected concurrency per interval, computed from the start and end of every call. */
export function concurrencyOf(
  calls: readonly UsedCall[],
  { fromMs, toMs, bucketMs }: { fromMs: number; toMs: number; bucketMs: number },
): { atMs: number; total: Level; joined: Level }[] {
  const buckets: { atMs: number; total: Level; joined: Level }[] = [];
  for (let atMs = Math.floor(fromMs / bucketMs) * bucketMs; atMs < toMs; atMs += bucketMs) {
    const untilMs = Math.min(atMs + bucketMs, toMs);
    const level = (beginOf: (call: UsedCall) => number | null): Level =>
      levelOf(
        calls.flatMap((call) => {
          const begin = beginOf(call);
          return begin === null ? [] : [{ begin, end: call.endedMs ?? Infinity }];
        }),
        atMs,
        untilMs,
      );
    buckets.push({
      atMs,
      total: level(({ createdMs }) => createdMs),
      joined: level(({ joinedMs }) => joinedMs),
    });
  }
  return buckets;
}

function levelOf(spans: readonly { begin: number; end: number }[], fromMs: number, toMs: number): Level {
  const moments = new Set([fromMs, toMs, ...spans.flatMap(({ begin, end }) => [begin, end])]);
  const inOrder = [...moments].filter((ms) => ms >= fromMs && ms <= toMs).sort((a, b) => a - b);
  let [max, area] = [0, 0];
  for (const [i, ms] of inOrder.slice(0, -1).entries()) {
    const live = spans.filter(({ begin, end }) => begin <= ms && ms < end).length;
    max = Math.max(max, live);
    area += live * (inOrder[i + 1]! - ms);
  }
  return { max, avg: area / (toMs - fromMs) };
}
