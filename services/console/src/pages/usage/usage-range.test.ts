import { describe, expect, it } from '@jest/globals';
import { callsPath, daysIn, instantsOf, rangeFrom, rangeToParams } from './usage-range.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 23, 59);
const range = (query: string) => rangeFrom(new URLSearchParams(query), NOW_MS);

describe('usage range', () => {
  it('is the last 30 days by default, including today', () => {
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

  it('accepts custom days in either order, up to one year', () => {
    const chosen = range('span=custom&from=2026-02-27&to=2026-03-01');
    expect(daysIn(chosen)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(range('span=custom&from=2026-03-01&to=2026-02-27')).toEqual(chosen);
    expect(daysIn(range('span=custom&from=2020-01-01&to=2026-02-27'))).toHaveLength(366);
    expect(range('span=custom&from=2026-02-31&to=soon')).toMatchObject({ toDay: '2026-11-21' });
  });

  it('survives a round trip through the URL', () => {
    for (const query of ['', 'span=7', 'span=90', 'span=custom&from=2026-02-27&to=2026-03-01']) {
      expect(new URLSearchParams(rangeToParams(range(query))).toString()).toBe(query);
    }
  });

  it('is the period of links to calls', () => {
    expect(callsPath(range('span=7'), { agentId: '', endReason: 'timeout' })).toBe(
      '/calls?period=utc&fromDay=2026-11-15&toDay=2026-11-21&endReason=timeout',
    );
  });

  it('includes whole days', () => {
    expect(instantsOf(range('span=7'))).toEqual({
      fromDate: '2026-11-15T00:00:00.000Z',
      toDate: '2026-11-21T23:59:59.999Z',
    });
  });
});
