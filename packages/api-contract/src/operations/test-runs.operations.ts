import { described } from '@calls/foundation/schema/annotations';
import { Uuid } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import { CreateTestRun, TestRun, TestRunSummary, TestSuite } from '../rest/test-run.ts';
import { exampleIds, pageOf } from './examples/example-values.ts';
import { createTestRunBody, testRun, testRunSummary, testSuite } from './examples/test-runs.examples.ts';
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
    'Runs scenarios with a revision of an agent in the background, as text and in virtual time. No call is created, and stubs replace the tools. Fails with 409 while 100 runs of the account are waiting, and with 403 if the account is suspended.',
  example: { body: createTestRunBody, response: { ...testRun, ended: null, passed: 0, results: [] } },
  body: CreateTestRun,
  status: 201,
  response: TestRun,
  errorStatuses: [403, 409],
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

export const deleteTestRun = defineOperation({
  id: 'deleteTestRun',
  method: 'DELETE',
  path: '/api/test_runs/{test_run_id}',
  tag,
  summary: 'Delete a test run',
  description: 'Deletes a test run. A run that has not ended is stopped.',
  example: {},
  status: 204,
});

export const getTestSuite = defineOperation({
  id: 'getTestSuite',
  method: 'GET',
  path: '/api/agents/{agent_id}/test_suite',
  tag,
  summary: 'Get the test suite of an agent',
  description: 'Returns the scenarios that are stored with an agent.',
  example: { response: testSuite },
  status: 200,
  response: TestSuite,
});

export const replaceTestSuite = defineOperation({
  id: 'replaceTestSuite',
  method: 'PUT',
  path: '/api/agents/{agent_id}/test_suite',
  tag,
  summary: 'Replace the test suite of an agent',
  description:
    'Stores the scenarios of an agent. Test runs without `scenarios` use them. If the agent requires tests, a revision is published only after a test run that has all of them.',
  example: { body: testSuite, response: testSuite },
  body: TestSuite,
  status: 200,
  response: TestSuite,
});

export const testRunOperations = [
  listTestRuns,
  createTestRun,
  getTestRun,
  deleteTestRun,
  getTestSuite,
  replaceTestSuite,
];
