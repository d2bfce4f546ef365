import { describe, expect, it } from '@jest/globals';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import { analysisIssues } from './analysis-issues.ts';

const issuesOf = (settings: Parameters<typeof analysisIssues>[0]) =>
  analysisIssues(settings, inProcessChecksOf('account'));
const criterion = (name: string) => ({ name, prompt: 'The user booked a room.' });

describe('analysisIssues', () => {
  it('accepts an object schema, success criteria, or no settings', async () => {
    expect(await issuesOf(undefined)).toEqual([]);
    expect(await issuesOf({ dataSchema: { type: 'object' } })).toEqual([]);
    expect(await issuesOf({ successCriteria: [criterion('a'), criterion('b')] })).toEqual([]);
  });

  it('rejects settings with neither a data schema nor success criteria', async () => {
    expect(await issuesOf({})).toEqual([
      { path: 'analysisSettings', message: 'must have dataSchema, successCriteria or both' },
    ]);
  });

  it('rejects data schemas of other types than object, or with remote references', async () => {
    const path = 'analysisSettings.dataSchema';
    expect(await issuesOf({ dataSchema: { type: 'array' } })).toEqual([
      { path: `${path}.type`, message: 'must be "object"' },
    ]);
    expect(await issuesOf({ dataSchema: { $ref: 'https://example.com/schema' } })).toMatchObject([{ path }]);
  });

  it('rejects duplicate names of success criteria', async () => {
    expect(await issuesOf({ successCriteria: [criterion('a'), criterion('a')] })).toEqual([
      { path: 'analysisSettings.successCriteria.1.name', message: 'must be unique in the call' },
    ]);
  });
});
