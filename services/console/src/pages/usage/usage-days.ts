import type { Schemas } from '../../api/client.ts';
import { writeCsv } from '../../components/csv.ts';
import { apiDurationMs } from '../../components/time-format.ts';

const MS_PER_MINUTE = 60_000;

export interface DayUsage {
  day: string;
  calls: number;
  joined: number;
  unjoined: number;
  failed: number;
  /** Call minutes. */
  minutes: number;
  billedMinutes: number;
}

/** Includes days without calls. */
export function usageDays(usage: Schemas['CallUsage'], days: readonly string[]): readonly DayUsage[] {
  const byDay = new Map(usage.daily.map((daily) => [daily.date, daily]));
  return days.map((day) => {
    const daily = byDay.get(day);
    return { day, ...(daily ? countsOf(daily) : NOTHING) };
  });
}

const NOTHING = { calls: 0, joined: 0, unjoined: 0, failed: 0, minutes: 0, billedMinutes: 0 };

export function countsOf(statistics: Schemas['CallStatistics']): Omit<DayUsage, 'day'> {
  const { totalCount: calls, joinedCount: joined, errorCount: failed, billedMinutes } = statistics;
  const minutes = apiDurationMs(statistics.duration) / MS_PER_MINUTE;
  return { calls, joined, unjoined: calls - joined, failed, minutes, billedMinutes };
}

export interface AgentTotal {
  agentId: string;
  name: string;
  calls: number;
  billedMinutes: number;
}

/** Calls by agent over all days, most calls first. */
export function agentTotals(usage: readonly Schemas['AgentUsage'][]): readonly AgentTotal[] {
  const totals = usage.map(({ agent: { agentId, name }, usage: days }) => ({
    agentId,
    name,
    calls: days.reduce((sum, day) => sum + day.calls, 0),
    billedMinutes: days.reduce((sum, day) => sum + day.billedMinutes, 0),
  }));
  return totals.sort((a, b) => b.calls - a.calls || a.name.localeCompare(b.name));
}

/** One record per day. `price`: per billed minute; null adds no costs. */
export function usageCsv(days: readonly DayUsage[], price: number | null): string {
  const cost = (billedMinutes: number): string[] => (price === null ? [] : [costText(billedMinutes, price)]);
  return writeCsv({
    columns: [
      ...['day', 'calls', 'joined', 'unjoined', 'failed', 'minutes', 'billedMinutes'],
      ...(price === null ? [] : ['cost']),
    ],
    rows: days.map(({ day, calls, joined, unjoined, failed, minutes, billedMinutes }) => [
      day,
      ...[calls, joined, unjoined, failed].map(String),
      ...[minutes, billedMinutes].map((value) => value.toFixed(2)),
      ...cost(billedMinutes),
    ]),
  });
}

/** `12.30`, in the currency of the price. */
export function costText(billedMinutes: number, price: number): string {
  return (billedMinutes * price).toFixed(2);
}

/** `0`, `0.4`, `12`, `1,204`. */
export function amountText(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 });
}

/** Share in percent; `–` if the whole is 0. */
export function shareText(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`;
}
