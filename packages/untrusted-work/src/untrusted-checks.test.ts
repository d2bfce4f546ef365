import { afterAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@calls/foundation/logger';
import { createChecksOf, createShortWork } from './untrusted-checks.ts';

const pool = createShortWork({ log: silentLogger });
const checks = createChecksOf(pool)('account');
afterAll(() => pool[Symbol.asyncDispose]());

describe('checks of untrusted schemas and patterns', () => {
  it('report what is invalid in schemas, values and patterns', async () => {
    expect(await checks.schemaIssues([{ type: 'string' }, { $async: true }])).toEqual([
      null,
      'must not use $async',
    ]);
    expect(await checks.valueIssues({ type: 'integer' }, [1, 'x'])).toEqual([
      [],
      [{ path: '', message: 'must be an integer' }],
    ]);
    expect(await checks.valueIssues({ type: 5 }, [1])).toEqual([
      [{ path: '', message: expect.stringContaining('has a schema that is not a valid JSON Schema') }],
    ]);
    expect(await checks.patternIssues(['^a$', '(?=a)'])).toEqual([
      null,
      expect.stringContaining('without look-around'),
    ]);
    expect(await checks.firstMatch(['^a', '(', '^b'], 'bcd')).toBe(2);
    expect(await checks.firstMatch(['^a'], 'bcd')).toBe(-1);
  });

  it('report a value that is too expensive to evaluate, and continue to work', async () => {
    const patterns = Array.from({ length: 20 }, (_, index) => `(?:[\\p{L}\\p{N}]){${900 + index}}$`);
    const text = Array.from({ length: 20_000 }, (_, index) => 'aé9 '[(index * 7 + index * index) % 4]).join(
      '',
    );
    const slow = { allOf: patterns.map((pattern) => ({ pattern })) };
    expect(await checks.valueIssues(slow, [text])).toEqual([
      [{ path: '', message: 'is too expensive to evaluate' }],
    ]);
    expect(await checks.valueIssues({ type: 'integer' }, [1])).toEqual([[]]);
  });
});
