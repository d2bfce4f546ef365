import { describe, expect, it } from '@jest/globals';
import { daysIn, instantsOf, rangeFrom, rangeToParams } from './usage-range.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 23, 59);
const range = (query: string) => rangeFrom(new URLSearchParams(query), NOW_MS);

describe('the range of the usage page', () => {
  it('is the last 30 days where nothing else is asked for, today included', () => {
    expect(range('')).toEqual({ span: '30', fromDay: '2026-10-23', toDay: '2026-11-21' });
    expect(range('span=year')).toEqual(range(''));
    expect(daysIn(range(''))).toHaveLength(30);
    expect(daysIn(range('span=7'))).toEqual([
      '2026-11-15',
      '2026-11-16',
      '2026-11-17',
      '2026-11-18',
      '2026-11-19',
      '2026-11-20',
      '2026-11-21',
    ]);
  });

  it('is any days, in their order, a year at most', () => {
    const chosen = range('span=custom&from=2026-02-27&to=2026-03-01');
    expect(daysIn(chosen)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(range('span=custom&from=2026-03-01&to=2026-02-27')).toEqual(chosen);
    expect(daysIn(range('span=custom&from=2020-01-01&to=2026-02-27'))).toHaveLength(366);
    expect(range('span=custom&from=2026-02-31&to=soon')).toMatchObject({ toDay: '2026-11-21' });
  });

  it('comes back from the address as it was put there', () => {
    for (const query of ['', 'span=7', 'span=90', 'span=custom&from=2026-02-27&to=2026-03-01']) {
      expect(new URLSearchParams(rangeToParams(range(query))).toString()).toBe(query);
    }
  });

  it('takes days as a whole', () => {
    expect(instantsOf(range('span=7'))).toEqual({
      fromDate: '2026-11-15T00:00:00.000Z',
      toDate: '2026-11-21T23:59:59.999Z',
    });
  });
});
