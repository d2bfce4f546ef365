import { Button, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RotateCwIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../../api/client.ts';
import { Changes } from '../../../components/changes.tsx';
import { JsonView } from '../../../components/copyable.tsx';
import { Section } from '../../../components/layout.tsx';
import { ErrorState } from '../../../components/states.tsx';
import { StatusBadge, type Tone } from '../../../components/status-badge.tsx';
import { OUTCOMES } from '../call-filters.ts';
import classes from './call.module.css';

type Analysis = Schemas['CallAnalysis'];
type Outcome = Analysis['criteria'][number]['outcome'];

const TONES: Readonly<Record<Outcome, Tone>> = { success: 'good', failure: 'bad', unknown: 'neutral' };

/** Success criteria and extracted data of a call. */
export function AnalysisSection({ callId, analysis }: { callId: string; analysis: Analysis }) {
  const queries = useQueryClient();
  const again = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/calls/{call_id}/analysis', { params: { path: { call_id: callId } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['call', callId], exact: true }),
  });
  const { status, criteria, data, failureReason } = analysis;
  const isPending = status === 'pending';
  return (
    <Section
      title="Analysis"
      description={isPending ? 'The model reads the conversation.' : `By the model ${analysis.model}.`}
      actions={
        <Changes>
          <Button
            variant="default"
            leftSection={<RotateCwIcon size={16} />}
            loading={isPending || again.isPending}
            onClick={() => again.mutate()}
          >
            Analyze again
          </Button>
        </Changes>
      }
    >
      <Stack>
        {again.error && <ErrorState error={again.error} />}
        {failureReason !== null && (
          <Text component="div">
            <StatusBadge tone="bad">Failed</StatusBadge> {failureReason}
          </Text>
        )}
        {criteria.length > 0 && <Criteria criteria={criteria} outcome={analysis.outcome} />}
        {data && <JsonView value={data} />}
      </Stack>
    </Section>
  );
}

function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  return <StatusBadge tone={TONES[outcome]}>{OUTCOMES[outcome]}</StatusBadge>;
}

function Criteria({ criteria, outcome }: Pick<Analysis, 'criteria' | 'outcome'>) {
  return (
    <>
      {outcome !== null && (
        <Text component="div">
          Outcome: <OutcomeBadge outcome={outcome} />
        </Text>
      )}
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Criterion</Table.Th>
            <Table.Th scope="col">Outcome</Table.Th>
            <Table.Th scope="col">Reason</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {criteria.map(({ name, outcome: each, reason }) => (
            <Table.Tr key={name}>
              <Table.Td className="mono">{name}</Table.Td>
              <Table.Td>
                <OutcomeBadge outcome={each} />
              </Table.Td>
              <Table.Td className={classes.summary}>{reason}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}
