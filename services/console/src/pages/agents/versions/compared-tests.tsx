import { Select, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../../api/client.ts';
import { EmptyState, ErrorState } from '../../../components/states.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { relativeTime } from '../../../components/time-format.ts';
import { STATUSES } from '../tests/run-results.tsx';
import { newestRunOf, useTestRun } from '../tests/use-test-runs.ts';

type Runs = readonly Schemas['TestRunSummary'][];

/** The results of the newest test run of a version, beside those of another version. */
export function ComparedTests(props: { runs: Runs; revisionId: string; currentId: string | null }) {
  const { runs, revisionId, currentId } = props;
  const others = testedVersions(runs).filter((id) => id !== revisionId);
  const [chosen, setChosen] = useState<string | null>(null);
  const otherId = chosen ?? others.find((id) => id === currentId) ?? others[0];
  const own = newestRunOf(runs, revisionId);
  const run = useTestRun(own?.testRunId);
  const other = useTestRun(otherId === undefined ? undefined : newestRunOf(runs, otherId)?.testRunId);
  if (!own) {
    return <EmptyState title="Not tested">Open the version and run its tests in the tab Tests.</EmptyState>;
  }
  const failed = [run, other].find(({ error }) => error !== null);
  if (failed) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!run.data || (otherId !== undefined && !other.data)) return <Skeleton height={160} />;
  const before = other.data?.results ?? [];
  const names = [...new Set([...run.data.results, ...before].map(({ name }) => name))];
  return (
    <Stack gap="sm">
      {others.length > 0 && (
        <Select
          label="Compare with"
          data={others.map((id) => ({ value: id, label: labelOf(runs, id, currentId) }))}
          value={otherId ?? null}
          onChange={setChosen}
          allowDeselect={false}
          maw="24rem"
        />
      )}
      {run.data.ended === null && <Text c="dimmed">The tests are running…</Text>}
      {names.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Scenario</Table.Th>
              {otherId !== undefined && <Table.Th scope="col">Compared version</Table.Th>}
              <Table.Th scope="col">This version</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {names.map((name) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400} style={{ overflowWrap: 'anywhere' }}>
                  {name}
                </Table.Th>
                {otherId !== undefined && (
                  <Table.Td>
                    <Outcome results={before} name={name} />
                  </Table.Td>
                )}
                <Table.Td>
                  <Outcome results={run.data.results} name={name} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Stack>
  );
}

function Outcome({ results, name }: { results: readonly Schemas['TestResult'][]; name: string }) {
  const result = results.find((each) => each.name === name);
  if (!result) return <Text c="dimmed">Not run</Text>;
  const { label, tone } = STATUSES[result.status];
  return <StatusBadge tone={tone}>{label}</StatusBadge>;
}

/** Ids of versions with test runs, most recently tested first. */
function testedVersions(runs: Runs): string[] {
  return [...new Set(runs.map(({ revisionId }) => revisionId))];
}

/** `Current version, tested 3 min ago` */
function labelOf(runs: Runs, revisionId: string, currentId: string | null): string {
  const tested = relativeTime(Date.parse(newestRunOf(runs, revisionId)?.created ?? ''), Date.now());
  return revisionId === currentId
    ? `Current version, tested ${tested}`
    : `Version …${revisionId.slice(-8)}, tested ${tested}`;
}
