import { msToDuration } from '@calls/api-contract/duration';
import type { EndReason } from '@calls/api-contract/rest/enums';
import type {
  AgentUsage,
  CallQuality,
  CallStatistics,
  CallUsage,
  UsageResponse,
} from '@calls/api-contract/rest/usage';
import type { TurnLatencyRow } from '@calls/store/tables/call-quality';
import type { AgentDayRow, CallUsageRow, DayRow } from '@calls/store/tables/call-usage';

const MS_PER_MINUTE = 60_000;

export function callUsageView(rows: readonly CallUsageRow[]): CallUsage {
  const usage: CallUsage = { allTime: statisticsOf(NO_CALLS), daily: [], hourly: [] };
  for (const row of rows) {
    const statistics = statisticsOf(row);
    const { day: date, hour } = row;
    if (date === null) usage.allTime = statistics;
    else if (hour === null) usage.daily.push({ ...statistics, date });
    else usage.hourly.push({ ...statistics, date, hour });
  }
  return usage;
}

const NO_CALLS = { calls: 0, errors: 0, joined: 0, duration_ms: 0, billed_ms: 0 };

function statisticsOf(row: Omit<CallUsageRow, 'day' | 'hour'>): CallStatistics {
  return {
    totalCount: row.calls,
    errorCount: row.errors,
    duration: msToDuration(row.duration_ms),
    joinedCount: row.joined,
    billedMinutes: row.billed_ms / MS_PER_MINUTE,
  };
}

export function callQualityView(
  reasons: readonly { end_reason: EndReason; calls: number }[],
  { turns, p50, p95 }: TurnLatencyRow,
): CallQuality {
  return {
    endReasons: reasons.map(({ end_reason: endReason, calls }) => ({ endReason, calls })),
    ...(p50 !== null &&
      p95 !== null && {
        turnLatency: { turns, p50: msToDuration(Math.round(p50)), p95: msToDuration(Math.round(p95)) },
      }),
  };
}

export function billingUsageView(rows: readonly DayRow[]): UsageResponse {
  const billedMs = rows.reduce((sum, row) => sum + row.billed_ms, 0);
  const sipBilledMs = rows.reduce((sum, row) => sum + row.sip_billed_ms, 0);
  return {
    dailyUsage: rows.map((row) => ({
      date: row.day,
      minutes: row.billed_ms / MS_PER_MINUTE,
      sipMinutes: row.sip_billed_ms / MS_PER_MINUTE,
    })),
    totalMinutes: billedMs / MS_PER_MINUTE,
    totalSipMinutes: sipBilledMs / MS_PER_MINUTE,
  };
}

/** `rows` must be grouped by agent. */
export function agentUsageView(rows: readonly AgentDayRow[]): AgentUsage[] {
  const agents: AgentUsage[] = [];
  for (const { agent_id: agentId, name, day: date, calls, billed_ms: billedMs } of rows) {
    let last = agents.at(-1);
    if (last?.agent.agentId !== agentId) {
      last = { agent: { agentId, name }, usage: [] };
      agents.push(last);
    }
    last.usage.push({ date, billedMinutes: billedMs / MS_PER_MINUTE, calls });
  }
  return agents;
}
