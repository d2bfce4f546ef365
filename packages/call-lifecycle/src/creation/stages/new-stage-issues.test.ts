import { expect, it } from '@jest/globals';
import { resolveSettings } from '../resolve-settings.ts';
import { newStageIssues } from './new-stage-issues.ts';

const guard = { assertAllowedUrl: () => undefined };

it('newStageIssues rejects a stage with more than 12000 values', () => {
  const initialState = { list: Array.from({ length: 12_000 }, () => 0) };
  expect(newStageIssues(guard, resolveSettings({}), { initialState })).toEqual([
    { path: '', message: 'must have at most 12000 values' },
  ]);
});
