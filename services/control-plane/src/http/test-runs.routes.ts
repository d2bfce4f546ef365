import {
  createTestRun,
  deleteTestRun as deleteOperation,
  getTestRun,
  getTestSuite,
  listTestRuns,
  replaceTestSuite as replaceOperation,
} from '@calls/api-contract/operations/test-runs.operations';
import type { TestRun, TestRunSummary } from '@calls/api-contract/rest/test-run';
import {
  scenarioIssues,
  scenarioPatternIssues,
  type TestScenario,
} from '@calls/api-contract/rest/test-scenario';
import { assertNotSuspended } from '@calls/call-lifecycle/creation/features';
import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { Issue } from '@calls/foundation/schema/validator';
import type { Database } from '@calls/store/store';
import { findRevision } from '@calls/store/tables/agent-revisions';
import { findAgent, findTestSuite, replaceTestSuite } from '@calls/store/tables/agents';
import {
  countWaitingTestRuns,
  deleteTestRun,
  findTestRun,
  insertTestRun,
  testRunsOf,
  type TestRunRow,
  type TestRunSummaryRow,
} from '@calls/store/tables/test-runs';
import type { ChecksOf, UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import { HttpProblem, invalidRequest, orNotFound } from '../problems/problem.ts';
import type { ApiRouter } from './api-router.ts';

const MAX_WAITING = 100;

export function testRunRoutes(
  api: ApiRouter,
  { db, clock, checksOf }: { db: Database; clock: Clock; checksOf: ChecksOf },
): void {
  api
    .list(listTestRuns, ({ accountId, query }) => ({
      source: testRunsOf(db, accountId, query.agentId ?? null),
      item: summaryView,
    }))
    .on(createTestRun, async ({ accountId, holder, body }) => {
      assertNotSuspended(holder);
      const { agentId } = body;
      const [agent, suite = [], waiting] = await Promise.all([
        findAgent(db, accountId, agentId),
        findTestSuite(db, accountId, agentId),
        countWaitingTestRuns(db, accountId),
      ]);
      const { scenarios = suite } = body;
      const { revisionId = agent?.published_revision_id } = body;
      const revision = agent && revisionId && (await findRevision(db, agent.agent_id, revisionId));
      const issues = body.scenarios ? await issuesOf(body.scenarios, checksOf(accountId)) : [];
      if (!agent || !revisionId)
        issues.unshift({ path: 'agentId', message: 'must be the id of an agent with a call template' });
      else if (!revision)
        issues.unshift({ path: 'revisionId', message: 'must be the id of a revision of the agent' });
      else if (scenarios.length === 0)
        issues.push({ path: 'scenarios', message: 'is required because none are stored with the agent' });
      if (issues.length > 0 || !revision) throw invalidRequest('request body', issues);
      if (waiting >= MAX_WAITING)
        throw new HttpProblem(
          409,
          'too_many_test_runs',
          `The account already has ${MAX_WAITING} waiting test runs; try again later.`,
        );
      return testRunView(
        await insertTestRun(db, {
          test_run_id: newId(),
          account_id: accountId,
          agent_id: revision.agent_id,
          revision_id: revision.revision_id,
          scenarios,
          created_at: new Date(clock.wallMs()),
        }),
      );
    })
    .on(getTestRun, async ({ accountId, params }) =>
      testRunView(orNotFound('test run', await findTestRun(db, accountId, params.test_run_id))),
    )
    .on(deleteOperation, async ({ accountId, params }) => {
      orNotFound('test run', await deleteTestRun(db, accountId, params.test_run_id));
    })
    .on(getTestSuite, async ({ accountId, params }) => ({
      scenarios: orNotFound('agent', await findTestSuite(db, accountId, params.agent_id)),
    }))
    .on(replaceOperation, async ({ accountId, params, body }) => {
      const { scenarios } = body;
      const issues = await issuesOf(scenarios, checksOf(accountId));
      if (issues.length > 0) throw invalidRequest('request body', issues);
      orNotFound('agent', await replaceTestSuite(db, accountId, params.agent_id, scenarios));
      return { scenarios };
    });
}

/** Issues that the schema does not find. */
async function issuesOf(scenarios: readonly TestScenario[], checks: UntrustedChecks): Promise<Issue[]> {
  const names = scenarios.map(({ name }) => name);
  const found = scenarios.map(async (scenario, index) => {
    const path = `scenarios.${index}`;
    const patterns = await scenarioPatternIssues(scenario, (given) => checks.patternIssues(given));
    const issues = [...scenarioIssues(scenario), ...patterns].map((issue) => ({
      ...issue,
      path: `${path}.${issue.path}`,
    }));
    if (names.indexOf(scenario.name) < index)
      issues.push({ path: `${path}.name`, message: 'must be unique' });
    return issues;
  });
  return (await Promise.all(found)).flat();
}

function summaryView(row: TestRunSummaryRow): TestRunSummary {
  const count = (...statuses: string[]): number =>
    row.statuses.filter((status) => statuses.includes(status)).length;
  return {
    testRunId: row.test_run_id,
    agentId: row.agent_id,
    revisionId: row.revision_id,
    created: row.created_at.toISOString(),
    ended: row.ended_at?.toISOString() ?? null,
    scenarioCount: row.scenario_count,
    passed: count('passed'),
    failed: count('failed', 'error'),
    skipped: count('skipped'),
  };
}

function testRunView(row: TestRunRow): TestRun {
  const { scenarios, results, previous_run_id: previousRunId, changes } = row;
  const statuses = results.map(({ status }) => status);
  const summary = summaryView({ ...row, scenario_count: scenarios.length, statuses });
  return { ...summary, scenarios, results, previousRunId, changes };
}
