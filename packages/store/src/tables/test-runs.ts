import type { TestChange, TestResult } from '@calls/api-contract/rest/test-run';
import type { TestScenario } from '@calls/api-contract/rest/test-scenario';
import { sql, type Selectable } from 'kysely';
import { asJson } from '../as-json.ts';
import { orderedBy, pagesOf, type PageSource } from '../keyset.ts';
import type { TestRunTable } from '../schema/test-run-tables.ts';
import type { Database } from '../store.ts';

export type TestRunRow = Selectable<TestRunTable>;
/** A run without its scenarios and results, which may be large. */
export type TestRunSummaryRow = Pick<
  TestRunRow,
  'test_run_id' | 'agent_id' | 'revision_id' | 'created_at' | 'ended_at'
> & {
  scenario_count: number;
  /** Empty before the end. */
  statuses: TestResult['status'][];
};

/** Maximum number of stored runs per agent. */
const MAX_OF_AGENT = 100;

/** Newest first. */
export function testRunsOf(
  db: Database,
  accountId: string,
  agentId: string | null,
): PageSource<TestRunSummaryRow> {
  const all = db
    .selectFrom('test_runs')
    .select(['test_run_id', 'agent_id', 'revision_id', 'created_at', 'ended_at'])
    .select(sql<number>`jsonb_array_length(scenarios)`.as('scenario_count'))
    .select(sql<TestResult['status'][]>`jsonb_path_query_array(results, '$[*].status')`.as('statuses'))
    .where('account_id', '=', accountId);
  return pagesOf(
    agentId === null ? all : all.where('agent_id', '=', agentId),
    orderedBy('desc', 'created_at', 'test_run_id'),
  );
}

export function findTestRun(
  db: Database,
  accountId: string,
  testRunId: string,
): Promise<TestRunRow | undefined> {
  return db
    .selectFrom('test_runs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('test_run_id', '=', testRunId)
    .executeTakeFirst();
}

/** Returns false if there is no such run. */
export async function deleteTestRun(db: Database, accountId: string, testRunId: string): Promise<boolean> {
  const deleted = await db
    .deleteFrom('test_runs')
    .where('account_id', '=', accountId)
    .where('test_run_id', '=', testRunId)
    .returning('test_run_id')
    .executeTakeFirst();
  return deleted !== undefined;
}

/** The newest run of a version of an agent. */
export function newestTestRun(
  db: Database,
  agentId: string,
  revisionId: string,
): Promise<TestRunRow | undefined> {
  return db
    .selectFrom('test_runs')
    .selectAll()
    .where('agent_id', '=', agentId)
    .where('revision_id', '=', revisionId)
    .orderBy('created_at', 'desc')
    .orderBy('test_run_id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Number of runs that have not ended. */
export async function countWaitingTestRuns(db: Database, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('test_runs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Inserts a run and deletes the agent's oldest runs beyond the maximum. */
export function insertTestRun(
  db: Database,
  row: Pick<TestRunRow, 'test_run_id' | 'account_id' | 'agent_id' | 'revision_id' | 'created_at'> & {
    scenarios: readonly TestScenario[];
  },
): Promise<TestRunRow> {
  return db.transaction().execute(async (tx) => {
    const inserted = await tx
      .insertInto('test_runs')
      .values({ ...row, scenarios: asJson(row.scenarios) })
      .returningAll()
      .executeTakeFirstOrThrow();
    const newest = tx
      .selectFrom('test_runs')
      .select('test_run_id')
      .where('agent_id', '=', row.agent_id)
      .orderBy('created_at', 'desc')
      .orderBy('test_run_id', 'desc')
      .limit(MAX_OF_AGENT);
    await tx
      .deleteFrom('test_runs')
      .where('agent_id', '=', row.agent_id)
      .where('ended_at', 'is not', null)
      .where('test_run_id', 'not in', newest)
      .execute();
    return inserted;
  });
}

/**
 * Claims a run that waits, or whose process crashed, for `claimMs`. Accounts take turns; each gets its oldest run. Several
 * processes can do so at the same time.
 */
export function claimTestRun(db: Database, claimMs: number): Promise<TestRunRow | undefined> {
  const waiting = db
    .selectFrom('test_runs')
    .select('test_run_id')
    .where('ended_at', 'is', null)
    .where((eb) => eb.or([eb('held_until', 'is', null), eb('held_until', '<', sql<Date>`now()`)]))
    .orderBy(
      sql`(select max(held_until) from test_runs as taken where taken.account_id = test_runs.account_id)`,
      (order) => order.asc().nullsFirst(),
    )
    .orderBy('created_at')
    .orderBy('test_run_id')
    .limit(1)
    .forUpdate()
    .skipLocked();
  return db
    .updateTable('test_runs')
    .set({
      held_until: sql<Date>`now() + ${claimMs} * interval '1 millisecond'`,
      attempts: sql<number>`attempts + 1`,
    })
    .where('test_run_id', '=', waiting)
    .returningAll()
    .executeTakeFirst();
}

/** Another process may begin the run immediately. */
export async function releaseTestRun(db: Database, testRunId: string): Promise<void> {
  await db
    .updateTable('test_runs')
    .set({ held_until: sql<Date>`now()`, attempts: sql<number>`attempts - 1` })
    .where('test_run_id', '=', testRunId)
    .where('ended_at', 'is', null)
    .execute();
}

/** The last run of another version of the agent that was created before this one and has ended. */
export function previousTestRun(
  db: Database,
  { agent_id, revision_id, created_at }: TestRunRow,
): Promise<TestRunRow | undefined> {
  return db
    .selectFrom('test_runs')
    .selectAll()
    .where('agent_id', '=', agent_id)
    .where('revision_id', '<>', revision_id)
    .where('created_at', '<', created_at)
    .where('ended_at', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('test_run_id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function endTestRun(
  db: Database,
  testRunId: string,
  end: {
    endedAt: Date;
    results: readonly TestResult[];
    previousRunId: string | null;
    changes: readonly TestChange[];
  },
): Promise<void> {
  await db
    .updateTable('test_runs')
    .set({
      ended_at: end.endedAt,
      results: asJson(end.results),
      previous_run_id: end.previousRunId,
      changes: asJson(end.changes),
    })
    .where('test_run_id', '=', testRunId)
    .where('ended_at', 'is', null)
    .execute();
}
