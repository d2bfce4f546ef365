import { Alert, Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CheckIcon, PlayIcon, PlusIcon, SquareIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../../api/client.ts';
import { Changes } from '../../../components/changes.tsx';
import { useFormIssues } from '../../../components/form-issues.ts';
import { ErrorState } from '../../../components/states.tsx';
import { templateContext, templateVariables } from '../../talk/template-variables.ts';
import { useExampleValues } from '../../talk/use-example-values.ts';
import type { Template } from '../template.ts';
import { PublishRule } from './publish-rule.tsx';
import { RunResults } from './run-results.tsx';
import { ScenarioCard } from './scenario-card.tsx';
import { FIRST_SCENARIO, freeName, playable, withAdded, type Scenario } from './scenario.ts';
import { storeSuite, suiteKey, useTestRun, useTestRuns, useTestSuite } from './use-test-runs.ts';

interface TestsPanelProps {
  agent: Schemas['Agent'];
  /** The version to test; null if the agent has none. */
  revisionId: string | null;
  /** Settings of the version to test. */
  template: Template;
  hasDraft: boolean;
  /** A scenario to add to the test suite; null if there is none. */
  added: Scenario | null;
  /** The scenarios as the user changed them; null: those of the test suite. */
  edited: readonly Scenario[] | null;
  onEdit: (scenarios: readonly Scenario[]) => void;
  /** Called when the edited scenarios are stored. */
  onStored: (scenarios: readonly Scenario[]) => void;
}

/** Tests of a saved version with simulated callers: the test suite to change and run, and the results of the last run. */
export function TestsPanel(props: TestsPanelProps) {
  const runs = useTestRuns(props.agent.agentId);
  const lastId = runs.data?.[0]?.testRunId;
  const last = useTestRun(lastId);
  const suite = useTestSuite(props.agent.agentId);
  const queries = [runs, last, suite];
  const error = queries.find((query) => query.error)?.error;
  const failure = error && (
    <ErrorState error={error} onRetry={() => void Promise.all(queries.map((query) => query.refetch()))} />
  );
  if (!runs.data || !suite.data || (lastId !== undefined && !last.data)) {
    return failure ?? <Skeleton height={320} radius="lg" aria-busy="true" aria-label="Loading" />;
  }
  return (
    <Stack>
      {failure}
      <Tests {...props} last={last.data ?? null} suite={suite.data.scenarios} />
    </Stack>
  );
}

function Tests(props: TestsPanelProps & { last: Schemas['TestRun'] | null; suite: readonly Scenario[] }) {
  const { agent, revisionId, template, hasDraft, last, suite, onEdit: setScenarios, onStored } = props;
  const { agentId } = agent;
  const queries = useQueryClient();
  const scenarios = props.edited ?? withAdded(suite, props.added);
  const variables = templateVariables(template);
  const [values] = useExampleValues(agentId, variables);
  const save = async (): Promise<void> => {
    const stored = scenarios.map((scenario) => playable(scenario, {}));
    queries.setQueryData(suiteKey(agentId), await storeSuite(agentId, stored));
    onStored(scenarios);
  };
  const saving = useMutation({ mutationFn: save });
  const run = useMutation({
    mutationFn: async () => {
      await save();
      const context = templateContext(variables, values);
      const body = {
        agentId,
        ...(revisionId !== null && { revisionId }),
        scenarios: scenarios.map((scenario) => playable(scenario, context)),
      };
      return dataOf(api.POST('/api/test_runs', { body }));
    },
    onSuccess: (created) => {
      queries.setQueryData(['test run', created.testRunId], created);
      return queries.invalidateQueries({ queryKey: ['agent', agentId, 'test runs'] });
    },
  });
  const isRunning = run.isPending || last?.ended === null;
  const stopping = useMutation({
    mutationFn: async ({ testRunId }: Schemas['TestRun']) => {
      const params = { path: { test_run_id: testRunId } };
      await dataOf(api.DELETE('/api/test_runs/{test_run_id}', { params }));
      await queries.invalidateQueries({ queryKey: ['agent', agentId, 'test runs'] });
    },
  });
  const error = run.error ?? saving.error ?? stopping.error;
  const issues = useFormIssues(error);
  const change = (index: number, changed: readonly Scenario[]): void => {
    run.reset();
    saving.reset();
    setScenarios(scenarios.toSpliced(index, 1, ...changed));
  };
  return (
    <Stack>
      <Text c="dimmed" fz="sm" maw="75ch">
        Simulated callers play these scenarios in text and virtual time. No call is created, and tools have
        stubs. Running stores the scenarios with the agent.{' '}
        <Anchor href="/docs/guides/test-an-agent" target="_blank" inherit underline="always">
          Test an agent
        </Anchor>{' '}
        shows how to run them on every change.
      </Text>
      <PublishRule agent={agent} />
      {hasDraft && <Alert color="yellow">The saved version is tested. Save your changes to test them.</Alert>}
      {scenarios.map((scenario, index) => (
        <ScenarioCard
          key={index}
          scenario={scenario}
          path={`scenarios.${index}`}
          issues={issues}
          onChange={(changed) => change(index, [changed])}
          onRemove={() => change(index, [])}
        />
      ))}
      {error && issues.all.length === 0 && <ErrorState error={error} />}
      <Group>
        <Changes>
          <Button
            leftSection={<PlayIcon size={16} />}
            loading={isRunning}
            disabled={scenarios.length === 0}
            onClick={() => run.mutate()}
          >
            Run tests
          </Button>
          {last?.ended === null && (
            <Button
              variant="default"
              leftSection={<SquareIcon size={16} />}
              loading={stopping.isPending}
              onClick={() => stopping.mutate(last)}
            >
              Stop the run
            </Button>
          )}
        </Changes>
        <Button
          variant="default"
          leftSection={<PlusIcon size={16} />}
          onClick={() => setScenarios([...scenarios, { ...FIRST_SCENARIO, name: freeName(scenarios) }])}
        >
          Add scenario
        </Button>
        <Changes>
          <Button
            variant="default"
            leftSection={saving.isSuccess && <CheckIcon size={16} />}
            loading={saving.isPending}
            disabled={isRunning}
            onClick={() => saving.mutate()}
          >
            {saving.isSuccess ? 'Stored' : 'Store without running'}
          </Button>
        </Changes>
      </Group>
      {last && <RunResults run={last} />}
    </Stack>
  );
}
