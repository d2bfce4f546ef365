import { filtersToParams, NO_FILTERS, type CallFilters } from '../calls/call-filters.ts';

/** The selected days, both inclusive. Days are in UTC, as the service counts them: `2026-11-21`. */
export interface UsageRange {
  span: Span;
  fromDay: string;
  toDay: string;
}

export const SPANS = { '7': '7 days', '30': '30 days', '90': '90 days' } as const;
export type Span = keyof typeof SPANS | 'custom';

const DEFAULT_SPAN: Span = '30';
const DAY_MS = 86_400_000;
/** The largest number of bars that are still distinguishable. */
const MAX_DAYS = 366;

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Parses the URL of the page; ignores invalid values. */
export function rangeFrom(params: URLSearchParams, nowMs: number): UsageRange {
  const given = params.get('span') ?? DEFAULT_SPAN;
  if (given === 'custom') {
    const toDay = dayOrNull(params.get('to')) ?? dayOf(nowMs);
    const fromDay = dayOrNull(params.get('from')) ?? firstDay(toDay, 30);
    const isInOrder = fromDay <= toDay;
    const [first, last] = isInOrder ? [fromDay, toDay] : [toDay, fromDay];
    const earliest = firstDay(last, MAX_DAYS);
    return { span: 'custom', fromDay: first < earliest ? earliest : first, toDay: last };
  }
  const span: Span = Object.hasOwn(SPANS, given) ? (given as Span) : DEFAULT_SPAN;
  const toDay = dayOf(nowMs);
  return { span, fromDay: firstDay(toDay, Number(span)), toDay };
}

/** Converts the range to the query of the page's URL. */
export function rangeToParams({ span, fromDay, toDay }: UsageRange): Record<string, string> {
  if (span === 'custom') return { span, from: fromDay, to: toDay };
  return span === DEFAULT_SPAN ? {} : { span };
}

export function daysIn({ fromDay, toDay }: UsageRange): readonly string[] {
  const [fromMs, toMs] = [Date.parse(fromDay), Date.parse(toDay)];
  return Array.from({ length: (toMs - fromMs) / DAY_MS + 1 }, (_, index) => dayOf(fromMs + index * DAY_MS));
}

/** Converts the range to filters of the API. */
export function instantsOf({ fromDay, toDay }: UsageRange): { fromDate: string; toDate: string } {
  return { fromDate: `${fromDay}T00:00:00.000Z`, toDate: `${toDay}T23:59:59.999Z` };
}

/** Path of the list of the calls in the range, with further filters. */
export function callsPath({ fromDay, toDay }: UsageRange, filters: Partial<CallFilters>): string {
  const params = filtersToParams({ ...NO_FILTERS, period: 'utc', fromDay, toDay, ...filters });
  return `/calls?${params.toString()}`;
}

/** The first of `days` days that end with `lastDay`. */
function firstDay(lastDay: string, days: number): string {
  return dayOf(Date.parse(lastDay) - (days - 1) * DAY_MS);
}

function dayOrNull(text: string | null): string | null {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/u.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || dayOf(ms) !== text ? null : text;
}
