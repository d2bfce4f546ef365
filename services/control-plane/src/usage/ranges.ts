import type { ConcurrencyBucketSize } from '@calls/api-contract/rest/usage';
import type { Issue } from '@calls/foundation/schema/validator';
import type { ConcurrencyQuery } from '@calls/store/tables/call-concurrency';
import { invalidRequest } from '../problems/problem.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const BUCKET_MS: Readonly<Record<ConcurrencyBucketSize, number>> = {
  minute: MINUTE_MS,
  '5min': 5 * MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: DAY_MS,
};
const DEFAULT_BUCKETS = 60;
const MAX_BUCKETS = 1500;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;

/** PostgreSQL dates and RFC 3339 times have no earlier day in common. */
const FIRST_DAY_MS = Date.parse('0001-01-01');

/** The requested range, or the issues of the query. */
type Range<T> = { range: T } | { issues: Issue[] };

function refused(path: string, message: string): { issues: Issue[] } {
  return { issues: [{ path, message }] };
}

/** Whole buckets in UTC, starting with the one that contains `start`. Future buckets are omitted. */
export function concurrencyRange(
  query: { bucket?: ConcurrencyBucketSize; start?: string; end?: string },
  nowMs: number,
): Range<ConcurrencyQuery> {
  const bucketMs = BUCKET_MS[query.bucket ?? 'minute'];
  const endMs = query.end === undefined ? nowMs : Date.parse(query.end);
  const fromMs = query.start === undefined ? endMs - DEFAULT_BUCKETS * bucketMs : Date.parse(query.start);
  if (fromMs > endMs) return refused('end', 'must not be before start');
  const startMs = Math.max(Math.floor(fromMs / bucketMs) * bucketMs, FIRST_DAY_MS);
  if ((endMs - startMs) / bucketMs > MAX_BUCKETS) {
    return refused('start', `must be at most ${MAX_BUCKETS} buckets before end`);
  }
  return { range: { startMs, endMs: Math.min(endMs, nowMs), bucketMs } };
}

export interface DayRange {
  fromDay: string;
  toDay: string;
}

/** Days in UTC, both inclusive. */
export function dayRange(query: { fromDate?: string; toDate?: string }, nowMs: number): Range<DayRange> {
  const toMs = Date.parse(query.toDate ?? dayOf(nowMs));
  const fromMs =
    query.fromDate === undefined
      ? Math.max(toMs - (DEFAULT_DAYS - 1) * DAY_MS, FIRST_DAY_MS)
      : Date.parse(query.fromDate);
  if (fromMs > toMs) return refused('toDate', 'must not be before fromDate');
  if ((toMs - fromMs) / DAY_MS >= MAX_DAYS) {
    return refused('fromDate', `must be less than ${MAX_DAYS} days before toDate`);
  }
  return { range: { fromDay: dayOf(fromMs), toDay: dayOf(toMs) } };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The range of a request. Throws a problem if it is not valid. */
export function rangeOf<T>(requested: Range<T>): T {
  if ('issues' in requested) throw invalidRequest('query', requested.issues);
  return requested.range;
}
