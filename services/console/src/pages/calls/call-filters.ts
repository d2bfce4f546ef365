import type { operations } from '@calls/api-client';
import { END_REASONS, type EndReason } from './call-words.ts';

/** What `GET /api/calls` takes, but for its paging. */
export type CallQuery = Omit<
  NonNullable<operations['listCalls']['parameters']['query']>,
  'cursor' | 'pageSize' | 'timeOfDayStart' | 'timeOfDayEnd' | 'voiceId'
>;
export type CallSort = NonNullable<CallQuery['sort']>;

/** What the list of calls is narrowed to, as the fields of the page hold it; '' where a field is empty. */
export interface CallFilters {
  search: string;
  agentId: string;
  period: Period;
  /** Of period `custom`: days in the viewer's time zone, both included, `2026-11-21`. */
  fromDay: string;
  toDay: string;
  /** Seconds. */
  minSeconds: string;
  maxSeconds: string;
  /** How it ended; '' for calls that go on too. */
  endReason: EndReason | '';
  /** A pair of the metadata, `room=12`. */
  metadata: string;
  sort: CallSort;
}

export const PERIODS = { all: 'Any time', day: 'Last 24 hours', week: 'Last 7 days', month: 'Last 30 days' };
export type Period = keyof typeof PERIODS | 'custom';

export const SORTS: Readonly<Record<CallSort, string>> = {
  '-created': 'Newest first',
  created: 'Oldest first',
  '-ended': 'Live, then last ended',
  ended: 'First ended',
  '-duration': 'Longest first',
  duration: 'Shortest first',
};

export const NO_FILTERS: CallFilters = {
  search: '',
  agentId: '',
  period: 'all',
  fromDay: '',
  toDay: '',
  minSeconds: '',
  maxSeconds: '',
  endReason: '',
  metadata: '',
  sort: '-created',
};

const NAMES = Object.keys(NO_FILTERS) as (keyof CallFilters)[];
const DAY_MS = 86_400_000;
const PERIOD_DAYS = { day: 1, week: 7, month: 30 };
/** So that a list that begins a day ago isn't another list a second later. */
const PERIOD_STEP_MS = 600_000;

/** From the address of the page; what isn't understood there counts as not given. */
export function filtersFrom(params: URLSearchParams): CallFilters {
  const text = (name: keyof CallFilters): string => params.get(name) ?? '';
  const [period, sort] = [text('period'), text('sort')];
  return {
    search: text('search'),
    agentId: /^[0-9a-f-]{36}$/iu.test(text('agentId')) ? text('agentId') : '',
    period: Object.hasOwn(PERIODS, period) || period === 'custom' ? (period as Period) : NO_FILTERS.period,
    fromDay: dayOrNone(text('fromDay')),
    toDay: dayOrNone(text('toDay')),
    minSeconds: secondsOrNone(text('minSeconds')),
    maxSeconds: secondsOrNone(text('maxSeconds')),
    endReason: Object.hasOwn(END_REASONS, text('endReason')) ? (text('endReason') as EndReason) : '',
    metadata: text('metadata'),
    sort: Object.hasOwn(SORTS, sort) ? (sort as CallSort) : NO_FILTERS.sort,
  };
}

/** For the address of the page: only what narrows the list. */
export function filtersToParams(filters: CallFilters): URLSearchParams {
  return new URLSearchParams(
    NAMES.filter((name) => filters[name] !== NO_FILTERS[name]).map((name) => [name, filters[name]]),
  );
}

/** How many of the filters that aren't always in sight narrow the list. */
export function hiddenFilterCount({ minSeconds, maxSeconds, endReason, metadata }: CallFilters): number {
  return [minSeconds !== '' || maxSeconds !== '', endReason !== '', metadata !== ''].filter(Boolean).length;
}

export function isNarrowed(filters: CallFilters): boolean {
  return [...filtersToParams(filters).keys()].some((name) => name !== 'sort');
}

export function queryOf(filters: CallFilters, nowMs: number): CallQuery {
  const { search, agentId, minSeconds, maxSeconds, endReason, sort } = filters;
  const pair = metadataPair(filters.metadata);
  return {
    sort,
    ...(search !== '' && { search }),
    ...(agentId !== '' && { agentIds: [agentId] }),
    ...(minSeconds !== '' && { durationMin: `${minSeconds}s` }),
    ...(maxSeconds !== '' && { durationMax: `${maxSeconds}s` }),
    ...(endReason !== '' && { endReasons: [endReason] }),
    ...(pair && { metadata: { [pair[0]]: pair[1] } }),
    ...rangeOf(filters, nowMs),
  };
}

/** `room = 12` → its key and value; null while it isn't whole. */
export function metadataPair(text: string): [key: string, value: string] | null {
  const at = text.indexOf('=');
  const key = text.slice(0, Math.max(0, at)).trim();
  return key === '' ? null : [key, text.slice(at + 1).trim()];
}

function rangeOf(filters: CallFilters, nowMs: number): Pick<CallQuery, 'fromDate' | 'toDate'> {
  const { period, fromDay, toDay } = filters;
  if (period === 'all') return {};
  if (period !== 'custom') {
    const fromMs = Math.floor((nowMs - PERIOD_DAYS[period] * DAY_MS) / PERIOD_STEP_MS) * PERIOD_STEP_MS;
    return { fromDate: new Date(fromMs).toISOString() };
  }
  return {
    ...(fromDay !== '' && { fromDate: new Date(`${fromDay}T00:00:00`).toISOString() }),
    ...(toDay !== '' && { toDate: new Date(`${toDay}T23:59:59.999`).toISOString() }),
  };
}

function dayOrNone(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/u.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';
}

function secondsOrNone(text: string): string {
  return /^\d{1,6}(?:\.\d{1,3})?$/u.test(text) ? text : '';
}
