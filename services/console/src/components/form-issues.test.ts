import { expect, it } from '@jest/globals';
import { ApiProblem } from '../api/api-problem.ts';
import { formIssues } from './form-issues.ts';

it('shows issues below a field with the rest of their paths, and counts items from 1', () => {
  const message = 'is required';
  const issues = ['url', 'secrets.1', 'rules[0].limit', 'voice.name'].map((path) => ({ path, message }));
  const { at } = formIssues(new ApiProblem({ status: 400, code: 'validation_failed', detail: '', issues }));
  expect(['url', 'secrets', 'rules', 'voice', 'agentId'].map(at)).toEqual([
    'is required',
    'item 2: is required',
    'item 1.limit: is required',
    'name: is required',
    undefined,
  ]);
});
