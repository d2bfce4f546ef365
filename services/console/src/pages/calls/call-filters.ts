import type { operations } from '@calls/api-client';
import { END_REASONS, type EndReason } from './call-labels.ts';

/** The query of `GET /api/calls` without paging. */
export type CallQuery = Omit<
  NonNullable<operations['listCalls']['parameters']['query']>,
  'cursor' | 'pageSize' | 'timeOfDayStart' | 'timeOfDayEnd' | 'voiceId'
>;
export type CallSort = NonNullable<CallQuery['sort']>;
export type AnalysisOutcome = NonNullable<CallQuery['analysisOutcome']>;

/** Filters of the list as the fields contain them; '' for an empty field. */
export interface CallFilters {
  search: string;
  agentId: string;
  period: Period;
  /** Days of the periods in DAY_PERIODS, both inclusive: `2026-11-21`. */
  fromDay: string;
  toDay: string;
  /** In seconds. */
  minSeconds: string;
  maxSeconds: string;
  /** '' includes live calls. */
  endReason: EndReason | '';
  analysisOutcome: AnalysisOutcome | '';
  /** A key and value of the metadata: `room=12`. */
  metadata: string;
  sort: CallSort;
}

export const PERIODS = { all: 'Any time', day: 'Last 24 hours', week: 'Last 7 days', month: 'Last 30 days' };
/** `custom` has days of the viewer's time zone; `utc` has those of the usage. */
export const DAY_PERIODS = { custom: 'Custom', utc: 'Custom (UTC)' };
export type Period = keyof typeof PERIODS | keyof typeof DAY_PERIODS;

export const SORTS: Readonly<Record<CallSort, string>> = {
  '-created': 'Newest first',
  created: 'Oldest first',
  '-ended': 'Live, then last ended',
  ended: 'First ended',
  '-duration': 'Longest first',
  duration: 'Shortest first',
};

export const OUTCOMES: Readonly<Record<AnalysisOutcome, string>> = {
  success: 'Success',
  failure: 'Failure',
  unknown: 'Unknown',
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
  analysisOutcome: '',
  metadata: '',
  sort: '-created',
};

const NAMES = Object.keys(NO_FILTERS) as (keyof CallFilters)[];
const DAY_MS = 86_400_000;
const PERIOD_DAYS = { day: 1, week: 7, month: 30 };
/** Rounds relative periods, so that the query does not change every second. */
const PERIOD_STEP_MS = 600_000;

/** Parses the URL of the page; ignores invalid values. */
export function filtersFrom(params: URLSearchParams): CallFilters {
  const text = (name: keyof CallFilters): string => params.get(name) ?? '';
  const [period, sort] = [text('period'), text('sort')];
  return {
    search: text('search'),
    agentId: /^[0-9a-f-]{36}$/iu.test(text('agentId')) ? text('agentId') : '',
    period: Object.hasOwn({ ...PERIODS, ...DAY_PERIODS }, period) ? (period as Period) : NO_FILTERS.period,
    fromDay: dayOrNone(text('fromDay')),
    toDay: dayOrNone(text('toDay')),
    minSeconds: secondsOrNone(text('minSeconds')),
    maxSeconds: secondsOrNone(text('maxSeconds')),
    endReason: Object.hasOwn(END_REASONS, text('endReason')) ? (text('endReason') as EndReason) : '',
    analysisOutcome: Object.hasOwn(OUTCOMES, text('analysisOutcome'))
      ? (text('analysisOutcome') as AnalysisOutcome)
      : '',
    metadata: text('metadata'),
    sort: Object.hasOwn(SORTS, sort) ? (sort as CallSort) : NO_FILTERS.sort,
  };
}

/** Converts active filters to the query of the page's URL. */
export function filtersToParams(filters: CallFilters): URLSearchParams {
  return new URLSearchParams(
    NAMES.filter((name) => filters[name] !== NO_FILTERS[name]).map((name) => [name, filters[name]]),
  );
}

/** Number of active filters that are not always visible. */
export function hiddenFilterCount(filters: CallFilters): number {
  const { minSeconds, maxSeconds, endReason, analysisOutcome, metadata } = filters;
  const others = [endReason, analysisOutcome, metadata].filter((value) => value !== '');
  return others.length + (minSeconds !== '' || maxSeconds !== '' ? 1 : 0);
}

export function isNarrowed(filters: CallFilters): boolean {
  return [...filtersToParams(filters).keys()].some((name) => name !== 'sort');
}

export function queryOf(filters: CallFilters, nowMs: number): CallQuery {
  const { search, agentId, minSeconds, maxSeconds, endReason, analysisOutcome, sort } = filters;
  const pair = metadataPair(filters.metadata);
  return {
    sort,
    ...(search !== '' && { search }),
    ...(agentId !== '' && { agentIds: [agentId] }),
    ...(minSeconds !== '' && { durationMin: `${minSeconds}s` }),
    ...(maxSeconds !== '' && { durationMax: `${maxSeconds}s` }),
    ...(endReason !== '' && { endReasons: [endReason] }),
    ...(analysisOutcome !== '' && { analysisOutcome }),
    ...(pair && { metadata: { [pair[0]]: pair[1] } }),
    ...rangeOf(filters, nowMs),
  };
}

/** `room = 12` → key and value; null while incomplete. */
export function metadataPair(text: string): [key: string, value: string] | null {
  const at = text.indexOf('=');
  const key = text.slice(0, Math.max(0, at)).trim();
  return key === '' ? null : [key, text.slice(at + 1).trim()];
}

function rangeOf(filters: CallFilters, nowMs: number): Pick<CallQuery, 'fromDate' | 'toDate'> {
  const { period, fromDay, toDay } = filters;
  if (period === 'all') return {};
  if (period !== 'custom' && period !== 'utc') {
    const fromMs = Math.floor((nowMs - PERIOD_DAYS[period] * DAY_MS) / PERIOD_STEP_MS) * PERIOD_STEP_MS;
    return { fromDate: new Date(fromMs).toISOString() };
  }
  const zone = period === 'utc' ? 'Z' : '';
  return {
    ...(fromDay !== '' && { fromDate: new Date(`${fromDay}T00:00:00${zone}`).toISOString() }),
    ...(toDay !== '' && { toDate: new Date(`${toDay}T23:59:59.999${zone}`).toISOString() }),
  };
}

function dayOrNone(text: string): string {
  return /^\d{4}-\d{2}-\d{2}$/u.test(text) && !Number.isNaN(Date.parse(text)) ? text : '';
}

function secondsOrNone(text: string): string {
  return /^\d{1,6}(?:\.\d{1,3})?$/u.test(text) ? text : '';
}
