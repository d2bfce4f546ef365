import { describe, expect, it } from '@jest/globals';
import { DateTime } from '../rest/common.ts';
import { compileValidator } from './validator.ts';

describe('a date-time', () => {
  const fits = (text: string): boolean => compileValidator('time', DateTime).faults(text).length === 0;

  it.each(['2026-03-02T12:00:00Z', '2026-03-02t12:00:00.123456+02:00', '0000-01-01T00:00:00Z'])(
    'may be %s',
    (text) => expect(fits(text)).toBe(true),
  );

  it.each([
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['beyond the year 9999', '9999-12-31T23:59:59-00:01'],
    ['of no calendar', '2026-02-29T12:00:00Z'],
    ['without an offset', '2026-03-02T12:00:00'],
  ])('is not %s: %s', (_, text) => expect(fits(text)).toBe(false));
});
