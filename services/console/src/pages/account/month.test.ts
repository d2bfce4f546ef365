import { expect, it } from '@jest/globals';
import { monthOf } from './month.ts';

it('monthOf returns the days of this month so far and of earlier months, also of the year before', () => {
  const now = new Date('2026-01-15T10:00:00Z');
  expect(monthOf(now, 0)).toEqual({ fromDate: '2026-01-01', toDate: '2026-01-15' });
  expect(monthOf(now, 1)).toEqual({ fromDate: '2025-12-01', toDate: '2025-12-31' });
});
