import { useQuery } from '@tanstack/react-query';
import { dataOf, api, type Schemas } from '../../../api/client.ts';
import { LIVE_REFRESH_MS } from '../../../api/queries.ts';
import type { Scenario } from './scenario.ts';

/** Number of runs that the service stores for an agent. */
const PAGE_SIZE = 100;

/** The test runs of an agent, newest first, without results. */
export function useTestRuns(agentId: string) {
  return useQuery({
    queryKey: ['agent', agentId, 'test runs'],
    queryFn: async () => {
      const query = { agentId, pageSize: PAGE_SIZE };
      return (await dataOf(api.GET('/api/test_runs', { params: { query } }))).results;
    },
    refetchInterval: ({ state }) =>
      state.data?.some(({ ended }) => ended === null) ? LIVE_REFRESH_MS : false,
  });
}

/** A test run with its results; undefined if there is no id. */
export function useTestRun(testRunId: string | undefined) {
  return useQuery({
    queryKey: ['test run', testRunId],
    enabled: testRunId !== undefined,
    queryFn: () => {
      const path = { test_run_id: testRunId ?? '' };
      return dataOf(api.GET('/api/test_runs/{test_run_id}', { params: { path } }));
    },
    refetchInterval: ({ state }) => (state.data?.ended === null ? LIVE_REFRESH_MS : false),
  });
}

/** The newest run of a version. */
export function newestRunOf(
  runs: readonly Schemas['TestRunSummary'][],
  revisionId: string,
): Schemas['TestRunSummary'] | undefined {
  return runs.find((run) => run.revisionId === revisionId);
}

export const suiteKey = (agentId: string) => ['agent', agentId, 'test suite'] as const;

/** The scenarios that are stored with the agent. */
export function useTestSuite(agentId: string) {
  return useQuery({
    queryKey: suiteKey(agentId),
    queryFn: () =>
      dataOf(api.GET('/api/agents/{agent_id}/test_suite', { params: { path: { agent_id: agentId } } })),
  });
}

export function storeSuite(agentId: string, scenarios: Scenario[]) {
  return dataOf(
    api.PUT('/api/agents/{agent_id}/test_suite', {
      params: { path: { agent_id: agentId } },
      body: { scenarios },
    }),
  );
}
