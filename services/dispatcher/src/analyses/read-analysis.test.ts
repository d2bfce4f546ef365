import { describe, expect, it } from '@jest/globals';
import type { AnalysisSettings } from '@calls/api-contract/rest/call-analysis';
import { schemaJobs } from '@calls/untrusted-work/jobs/schema-jobs';
import { createChecksOf } from '@calls/untrusted-work/untrusted-checks';
import { readAnalysis } from './read-analysis.ts';

const checks = createChecksOf({
  run: (kind, input) => Promise.resolve(schemaJobs[kind](input as never)) as Promise<never>,
})('account');

const settings: AnalysisSettings = {
  dataSchema: {
    type: 'object',
    properties: { city: { type: 'string' }, nights: { type: 'integer' } },
    required: ['city'],
  },
  successCriteria: [
    { name: 'booked', prompt: 'The user booked a room.' },
    { name: 'polite', prompt: 'The agent was polite.' },
  ],
};
const criteria = {
  polite: { outcome: 'unknown', reason: 'It does not show.' },
  booked: { outcome: 'success', reason: 'Room 12.' },
};

const read = (value: unknown, given = settings) =>
  readAnalysis(typeof value === 'string' ? value : JSON.stringify(value), given, checks);

describe('readAnalysis', () => {
  it('returns the data, and the criteria in the order of the settings', async () => {
    expect(await read({ data: { city: 'Bern' }, criteria })).toEqual({
      data: { city: 'Bern' },
      criteria: [
        { name: 'booked', outcome: 'success', reason: 'Room 12.' },
        { name: 'polite', outcome: 'unknown', reason: 'It does not show.' },
      ],
    });
  });

  it('finds the object in a code block', async () => {
    const { successCriteria: _, ...data } = settings;
    const text = 'Here it is:\n```json\n{"data": {"city": "Bern"}}\n```\nAnything else?';
    expect(await read(text, data)).toEqual({ data: { city: 'Bern' }, criteria: [] });
  });

  it('ignores data and criteria that were not requested', async () => {
    const { dataSchema: _, ...only } = settings;
    const others = { ...criteria, other: { outcome: 'failure', reason: '' } };
    expect(await read({ data: { any: 1 }, criteria: others }, only)).toMatchObject({
      data: null,
      criteria: [{ name: 'booked' }, { name: 'polite' }],
    });
  });

  it('reports why a response cannot be used', async () => {
    const problemOf = async (value: unknown): Promise<unknown> => {
      const result = await read(value);
      return 'problem' in result ? result.problem : null;
    };
    expect(await problemOf('I cannot help with that.')).toBe('it is not a JSON object');
    expect(await problemOf({ data: { city: 'Bern', nights: 'two' }, criteria })).toBe(
      'data.nights must be an integer',
    );
    expect(await problemOf({ criteria: { booked: criteria.booked } })).toBe(
      'data is missing; criteria.polite is missing',
    );
    const outcome = 'maybe';
    expect(await problemOf({ criteria: { booked: { outcome, reason: '' } } })).toMatch(
      /^criteria\.booked\.outcome must be /u,
    );
  });

  it('rejects data that is too large or nested too deeply', async () => {
    const city = 'x'.repeat(16_385);
    expect(await read({ data: { city }, criteria })).toEqual({
      problem: 'data must be at most 16384 characters long',
    });
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
    expect(await read(`{"data": ${deep}, "criteria": ${JSON.stringify(criteria)}}`)).toEqual({
      problem: 'data must not be nested more than 24 levels deep',
    });
  });

  it('rejects a number that JSON cannot have', async () => {
    const text = `{"data": {"city": "Bern", "price": [-1e400]}, "criteria": ${JSON.stringify(criteria)}}`;
    expect(await read(text)).toEqual({ problem: 'data has a number that is too large' });
  });

  it('shortens long reasons', async () => {
    const long = { ...criteria, polite: { outcome: 'success', reason: 'x'.repeat(2000) } };
    const result = await read({ data: { city: 'Bern' }, criteria: long });
    expect('criteria' in result && result.criteria[1]?.reason.length).toBe(500);
  });
});
