import { described } from '@calls/foundation/schema/annotations';
import { Uuid } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import { CreateTestRun, TestRun, TestRunSummary } from '../rest/test-run.ts';
import { exampleIds, pageOf } from './examples/example-values.ts';
import { createTestRunBody, testRun, testRunSummary } from './examples/test-runs.examples.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Test runs';

export const listTestRuns = defineList({
  id: 'listTestRuns',
  path: '/api/test_runs',
  tag,
  summary: 'List test runs',
  description: 'Returns the test runs of the account, newest first. The newest 100 of an agent are stored.',
  example: { query: { agentId: exampleIds.agent }, response: pageOf(testRunSummary) },
  filters: { agentId: Type.Optional(described(Uuid, 'Only runs of this agent.')) },
  item: TestRunSummary,
  itemName: 'TestRunSummary',
});

export const createTestRun = defineOperation({
  id: 'createTestRun',
  method: 'POST',
  path: '/api/test_runs',
  tag,
  summary: 'Test an agent with simulated callers',
  description:
    'Plays scenarios with a revision of an agent, in text and virtual time, in the background: no call is created, and tools have stubs. Fails with 409 while 100 runs of the account wait.',
  example: { body: createTestRunBody, response: { ...testRun, ended: null, passed: 0, results: [] } },
  body: CreateTestRun,
  status: 201,
  response: TestRun,
  errorStatuses: [409],
});

export const getTestRun = defineOperation({
  id: 'getTestRun',
  method: 'GET',
  path: '/api/test_runs/{test_run_id}',
  tag,
  summary: 'Get a test run',
  description: 'Returns a test run with its results, which are complete when `ended` is set.',
  example: { response: testRun },
  status: 200,
  response: TestRun,
});

export const testRunOperations = [listTestRuns, createTestRun, getTestRun];
