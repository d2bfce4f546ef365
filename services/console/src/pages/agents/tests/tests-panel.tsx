import { Alert, Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { PlayIcon, PlusIcon } from 'lucide-react';
import { useState } from 'react';
import { answerOf, api, type Schemas } from '../../../api/client.ts';
import { LIVE_REFRESH_MS } from '../../../api/queries.ts';
import { formFaults } from '../../../components/form-faults.ts';
import { ErrorState } from '../../../components/states.tsx';
import { templateContext, templateVariables } from '../../talk/template-variables.ts';
import { useExampleValues } from '../../talk/use-example-values.ts';
import { editable } from '../template.ts';
import { RunResults } from './run-results.tsx';
import { ScenarioCard } from './scenario-card.tsx';
import { FIRST_SCENARIO, freeName, playable, type Scenario } from './scenario.ts';

/** Tests of the saved version with simulated callers: the scenarios of the last run to change and run, and its results. */
export function TestsPanel({ agent, hasDraft }: { agent: Schemas['Agent']; hasDraft: boolean }) {
  const { agentId } = agent;
  const runs = useQuery({
    queryKey: ['agent', agentId, 'test runs'],
    queryFn: () => answerOf(api.GET('/api/test_runs', { params: { query: { agentId, pageSize: 1 } } })),
  });
  const lastId = runs.data?.results[0]?.testRunId;
  const last = useQuery({
    queryKey: ['test run', lastId],
    enabled: lastId !== undefined,
    queryFn: () =>
      answerOf(api.GET('/api/test_runs/{test_run_id}', { params: { path: { test_run_id: lastId ?? '' } } })),
    refetchInterval: ({ state }) => (state.data?.ended === null ? LIVE_REFRESH_MS : false),
  });
  const error = runs.error ?? last.error;
  if (error) {
    return <ErrorState error={error} onRetry={() => void Promise.all([runs.refetch(), last.refetch()])} />;
  }
  if (!runs.data || (lastId !== undefined && !last.data)) {
    return <Skeleton height={320} radius="lg" aria-busy="true" aria-label="Loading" />;
  }
  return <Tests agent={agent} hasDraft={hasDraft} last={last.data ?? null} />;
}

function Tests(props: { agent: Schemas['Agent']; hasDraft: boolean; last: Schemas['TestRun'] | null }) {
  const { agent, hasDraft, last } = props;
  const { agentId } = agent;
  const queries = useQueryClient();
  const [scenarios, setScenarios] = useState<readonly Scenario[]>(last?.scenarios ?? [FIRST_SCENARIO]);
  const variables = templateVariables(editable(agent.callTemplate));
  const [values] = useExampleValues(agentId, variables);
  const run = useMutation({
    mutationFn: () => {
      const context = templateContext(variables, values);
      const body = { agentId, scenarios: scenarios.map((scenario) => playable(scenario, context)) };
      return answerOf(api.POST('/api/test_runs', { body }));
    },
    onSuccess: (created) => {
      queries.setQueryData(['test run', created.testRunId], created);
      return queries.invalidateQueries({ queryKey: ['agent', agentId, 'test runs'] });
    },
  });
  const isRunning = run.isPending || last?.ended === null;
  const faults = formFaults(run.error);
  const change = (index: number, changed: readonly Scenario[]): void => {
    if (run.error) run.reset();
    setScenarios(scenarios.toSpliced(index, 1, ...changed));
  };
  return (
    <Stack>
      <Text c="dimmed" fz="sm" maw="75ch">
        Simulated callers play these scenarios in text and virtual time. No call is created, and tools have
        stubs.{' '}
        <Anchor href="/docs/guides/test-an-agent" target="_blank" inherit underline="always">
          Test an agent
        </Anchor>{' '}
        shows how to run them on every change.
      </Text>
      {hasDraft && <Alert color="yellow">The saved version is tested. Save your changes to test them.</Alert>}
      {scenarios.map((scenario, index) => (
        <ScenarioCard
          key={index}
          scenario={scenario}
          path={`scenarios.${index}`}
          faults={faults}
          onChange={(changed) => change(index, [changed])}
          onRemove={() => change(index, [])}
        />
      ))}
      {run.error && faults.all.length === 0 && <ErrorState error={run.error} />}
      <Group>
        <Button
          leftSection={<PlayIcon size={16} />}
          loading={isRunning}
          disabled={scenarios.length === 0}
          onClick={() => run.mutate()}
        >
          Run tests
        </Button>
        <Button
          variant="default"
          leftSection={<PlusIcon size={16} />}
          onClick={() => setScenarios([...scenarios, { ...FIRST_SCENARIO, name: freeName(scenarios) }])}
        >
          Add scenario
        </Button>
      </Group>
      {last && <RunResults run={last} />}
    </Stack>
  );
}
