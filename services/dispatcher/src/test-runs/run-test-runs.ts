import { msToDuration } from '@calls/api-contract/duration';
import type { TestChange, TestResult } from '@calls/api-contract/rest/test-run';
import { openTemplate } from '@calls/call-lifecycle/creation/stored-secrets';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { TestedAgent } from '@calls/simulation/agent/agent-call';
import { runScenario, type ScenarioDeps, type ScenarioResult } from '@calls/simulation/run-scenario';
import type { Database } from '@calls/store/store';
import { findAccount } from '@calls/store/tables/accounts';
import { findRevision } from '@calls/store/tables/agent-revisions';
import {
  endTestRun,
  findTestRun,
  claimTestRun,
  previousTestRun,
  releaseTestRun,
  type TestRunRow,
} from '@calls/store/tables/test-runs';
import { findToolsByIdOrName } from '@calls/store/tables/tools';

export interface TestRunDeps {
  db: Database;
  secretBox: SecretBox;
  scenarios: Omit<ScenarioDeps, 'accountId' | 'wallMs'>;
  clock: Clock;
  log: Logger;
}

/** If a process crashes during a run, another one starts it again after this time. */
const CLAIM_MS = 10 * 60_000;
/** Time limit of a run. Scenarios that have not ended by then fail. It is below the hold. */
const LIMIT_MS = 5 * 60_000;
/** Pause between checks whether a run was deleted. */
const CHECK_MS = 1000;
const LIMIT_REACHED = 'the time limit of the test run was reached';
const MAX_ATTEMPTS = 3;

/** Plays all waiting test runs, one after the other. Several processes may do so at the same time. */
export async function runTestRuns(deps: TestRunDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const run = await claimTestRun(deps.db, CLAIM_MS);
    if (!run) return;
    const results = run.attempts > MAX_ATTEMPTS ? allFailed(run) : await play(deps, run, signal);
    if (!results) {
      await releaseTestRun(deps.db, run.test_run_id);
      return;
    }
    const previous = await previousTestRun(deps.db, run);
    await endTestRun(deps.db, run.test_run_id, {
      endedAt: new Date(deps.clock.wallMs()),
      results,
      previousRunId: previous?.test_run_id ?? null,
      changes: previous ? changesOf(previous.results, results) : [],
    });
    const failed = results.filter(({ status }) => status !== 'passed').length;
    deps.log.info({ testRunId: run.test_run_id, scenarios: results.length, failed }, 'test run ended');
  }
}

/** Returns null if the run was aborted or deleted. */
async function play(deps: TestRunDeps, run: TestRunRow, aborted: AbortSignal): Promise<TestResult[] | null> {
  const deletion = new AbortController();
  const signal = AbortSignal.any([aborted, deletion.signal]);
  await using _ = startPeriodicTask({
    name: 'deleted test run',
    intervalMs: CHECK_MS,
    clock: deps.clock,
    log: deps.log,
    run: async () => {
      if (!(await findTestRun(deps.db, run.account_id, run.test_run_id))) deletion.abort();
    },
  });
  const { clock } = deps;
  const agent = await testedAgent(deps, run);
  const limit = new AbortController();
  const timer = clock.setTimer(LIMIT_MS, () => limit.abort(new Error(LIMIT_REACHED)));
  const ended = AbortSignal.any([signal, limit.signal]);
  const results: TestResult[] = [];
  for (const scenario of run.scenarios) {
    if (signal.aborted) break;
    if (typeof agent === 'string' || limit.signal.aborted) {
      results.push(withoutCall(scenario.name, typeof agent === 'string' ? agent : LIMIT_REACHED));
      continue;
    }
    const { account_id: accountId } = run;
    const options = { ...deps.scenarios, accountId, wallMs: clock.wallMs(), signal: ended };
    results.push(resultOf(await runScenario(agent, scenario, options)));
  }
  timer.cancel();
  return signal.aborted ? null : results;
}

/** Returns a message if the agent cannot be tested. */
async function testedAgent({ db, secretBox }: TestRunDeps, run: TestRunRow): Promise<TestedAgent | string> {
  const { account_id: accountId } = run;
  const account = await findAccount(db, accountId);
  if (account?.suspended_at) return 'the account is suspended';
  const revision = await findRevision(db, run.agent_id, run.revision_id);
  if (!revision) return 'the agent no longer exists';
  const template = openTemplate(secretBox, accountId, revision.template);
  const { selectedTools = [] } = template;
  const ids = selectedTools.flatMap(({ toolId }) => toolId ?? []);
  const names = selectedTools.flatMap(({ toolName }) => toolName ?? []);
  const known =
    ids.length + names.length === 0 ? [] : await findToolsByIdOrName(db, accountId, { ids, names });
  return { name: '', template, tools: known.filter(({ account_id }) => account_id !== null) };
}

function resultOf({ name, status, findings, record }: ScenarioResult): TestResult {
  return {
    name,
    status,
    findings: [...findings],
    endReason: record?.endReason ?? null,
    duration: record && msToDuration(record.durationMs),
    lines: (record?.lines ?? []).map(({ atMs, ...line }) => ({ time: msToDuration(atMs), ...line })),
  };
}

function withoutCall(name: string, message: string): TestResult {
  return {
    name,
    status: 'error',
    findings: [{ path: '', message }],
    endReason: null,
    duration: null,
    lines: [],
  };
}

function allFailed({ scenarios }: TestRunRow): TestResult[] {
  return scenarios.map(({ name }) => withoutCall(name, 'the test run was interrupted too often'));
}

/** Returns the scenarios with another outcome than before. */
function changesOf(before: readonly TestResult[], after: readonly TestResult[]): TestChange[] {
  const statusIn = (results: readonly TestResult[], name: string) =>
    results.find((result) => result.name === name)?.status ?? null;
  const names = new Set([...after, ...before].map(({ name }) => name));
  return [...names].flatMap((name) => {
    const change = { name, before: statusIn(before, name), after: statusIn(after, name) };
    return change.before === change.after ? [] : [change];
  });
}
