import { describe, expect, it } from '@jest/globals';
import {
  filtersFrom,
  filtersToParams,
  isNarrowed,
  metadataPair,
  NO_FILTERS,
  queryOf,
  type CallFilters,
} from './call-filters.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12, 3);
const AGENT = '01a1fd5d-43f3-7500-a231-581540147dc0';
const of = (query: string): CallFilters => filtersFrom(new URLSearchParams(query));

describe('call filters', () => {
  it('survive a round trip through the URL, which contains only filters that are set', () => {
    const filters: CallFilters = {
      search: 'late & loud',
      agentId: AGENT,
      period: 'custom',
      fromDay: '2026-11-01',
      toDay: '2026-11-20',
      minSeconds: '1.5',
      maxSeconds: '90',
      endReason: 'timeout',
      analysisOutcome: 'failure',
      metadata: 'room=12=a',
      sort: '-duration',
    };
    expect(of(filtersToParams(filters).toString())).toEqual(filters);
    expect(filtersToParams(NO_FILTERS).toString()).toBe('');
    expect(filtersToParams({ ...NO_FILTERS, sort: 'ended' }).toString()).toBe('sort=ended');
  });

  it('ignore URL parameters that are invalid', () => {
    const bad =
      'agentId=x&period=toString&fromDay=2026-13-45&toDay=soon&minSeconds=-1&maxSeconds=many&endReason=toString&sort=valueOf';
    expect(of(bad)).toEqual(NO_FILTERS);
    expect(isNarrowed(of('sort=ended'))).toBe(false);
    expect(isNarrowed(of('search=x'))).toBe(true);
  });

  it('add only the given values to the API query', () => {
    expect(queryOf(NO_FILTERS, NOW_MS)).toEqual({ sort: '-created' });
    expect(
      queryOf(
        of(`agentId=${AGENT}&minSeconds=5&maxSeconds=60&endReason=unjoined&metadata=room=12&search=ada`),
        NOW_MS,
      ),
    ).toEqual({
      sort: '-created',
      agentIds: [AGENT],
      durationMin: '5s',
      durationMax: '60s',
      endReasons: ['unjoined'],
      metadata: { room: '12' },
      search: 'ada',
    });
  });

  it('convert a period to its start date, which stays the same for some minutes', () => {
    const week = of('period=week');
    expect(queryOf(week, NOW_MS).fromDate).toBe('2026-11-14T12:00:00.000Z');
    expect(queryOf(week, NOW_MS + 60_000)).toEqual(queryOf(week, NOW_MS));
  });

  it('use whole days in the time zone of the viewer', () => {
    const { fromDate, toDate } = queryOf(of('period=custom&fromDay=2026-07-01&toDay=2026-07-01'), NOW_MS);
    expect(Date.parse(toDate ?? '') - Date.parse(fromDate ?? '')).toBe(86_399_999);
    expect(queryOf(of('fromDay=2026-11-01'), NOW_MS)).toEqual({ sort: '-created' });
  });

  it('use whole days in UTC, like the usage that links to them', () => {
    expect(queryOf(of('period=utc&fromDay=2026-11-01&toDay=2026-11-02'), NOW_MS)).toEqual({
      sort: '-created',
      fromDate: '2026-11-01T00:00:00.000Z',
      toDate: '2026-11-02T23:59:59.999Z',
    });
  });

  it.each([
    ['room=12', ['room', '12']],
    [' room = 12 = a ', ['room', '12 = a']],
    ['room=', ['room', '']],
    ['room', null],
    ['=12', null],
    ['', null],
  ])('parse the metadata pair %j', (text, pair) => {
    expect(metadataPair(text)).toEqual(pair);
  });
});
