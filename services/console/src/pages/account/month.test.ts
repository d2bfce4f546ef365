import { expect, it } from '@jest/globals';
import { monthOf } from './month.ts';

it('monthOf returns the days of the current month so far and of earlier months, also in the previous year', () => {
  const now = new Date('2026-01-15T10:00:00Z');
  expect(monthOf(now, 0)).toEqual({ fromDate: '2026-01-01', toDate: '2026-01-15' });
  expect(monthOf(now, 1)).toEqual({ fromDate: '2025-12-01', toDate: '2025-12-31' });
});
