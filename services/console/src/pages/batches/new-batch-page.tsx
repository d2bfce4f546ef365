import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { TriangleAlertIcon } from 'lucide-react';
import { ApiProblem } from '../../api/api-problem.ts';
import { dataOf, api } from '../../api/client.ts';
import { AgentSelect } from '../../components/agent-select.tsx';
import type { Csv } from '../../components/csv.ts';
import { useFormIssues } from '../../components/form-issues.ts';
import { Section } from '../../components/layout.tsx';
import { Page } from '../../components/page.tsx';
import { ErrorState } from '../../components/states.tsx';
import { templateVariables } from '../talk/template-variables.ts';
import { callsOf, guessedUse, lineText, type ColumnUse } from './batch-calls.ts';
import { ColumnsSection } from './columns-section.tsx';
import { CsvInput } from './csv-input.tsx';
import { loadDialers } from './dialers.ts';
import { NO_TIMES, TimesSection, timesBody } from './times-section.tsx';

const MAX_SHOWN_ISSUES = 20;

export function Component() {
  const [params, setParams] = useSearchParams();
  const agentId = params.get('agentId') ?? '';
  const [csv, setCsv] = useState<Csv | null>(null);
  const [chosen, setChosen] = useState<Readonly<Record<string, ColumnUse>>>({});
  const [dialerId, setDialerId] = useState('');
  const [from, setFrom] = useState('');
  const [times, setTimes] = useState(NO_TIMES);
  const [idempotencyKey] = useState(newKey);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const agent = useQuery({
    queryKey: ['agent', agentId],
    enabled: agentId !== '',
    queryFn: () => dataOf(api.GET('/api/agents/{agent_id}', { params: { path: { agent_id: agentId } } })),
  });
  const dialers = useQuery({ queryKey: ['dialers'], queryFn: loadDialers });
  const variables = templateVariables(agent.data?.callTemplate ?? null);
  const dialer = dialers.data?.find(({ value }) => value === dialerId) ?? dialers.data?.[0];
  const uses = Object.fromEntries(
    (csv?.columns ?? []).map((column) => [column, chosen[column] ?? guessedUse(column, variables)]),
  );
  const hasNumbers = Object.values(uses).includes('to');
  const create = useMutation({
    mutationFn: (file: Csv) =>
      dataOf(
        api.POST('/api/agents/{agent_id}/scheduled_batches', {
          params: { path: { agent_id: agentId }, header: { 'Idempotency-Key': idempotencyKey } },
          body: {
            ...timesBody(times),
            calls: callsOf(file, uses, variables, (to) => dialer?.mediumOf(to, from.trim()) ?? {}),
          },
        }),
      ),
    onSuccess: ({ batchId, webhookSecret }) => {
      void queries.invalidateQueries({ queryKey: ['batches'] });
      void navigate(`/batches/${agentId}/${batchId}`, { state: { webhookSecret } });
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (csv) create.mutate(csv);
  };
  const issues = useFormIssues(create.error);
  const lines = issues.all.map(lineText).filter((text) => text !== null);
  const isComplete = agentId !== '' && csv !== null && (!hasNumbers || dialer !== undefined);
  return (
    <Page title="New batch" back={{ to: `/batches?agentId=${agentId}`, label: 'Batches' }} width="narrow">
      <form onSubmit={submit} noValidate>
        <Stack gap="lg">
          <Section title="Agent" description="It makes all calls of the batch.">
            <AgentSelect
              label="Choose an agent"
              value={agentId}
              onChange={(id) => setParams(id === '' ? {} : { agentId: id }, { replace: true })}
            />
          </Section>
          <Section title="File" description="One call per row. The first line has the names of the columns.">
            <CsvInput onChange={setCsv} />
          </Section>
          {csv && (
            <ColumnsSection
              csv={csv}
              uses={uses}
              onUse={(column, use) => setChosen({ ...chosen, [column]: use })}
              variables={variables}
              phone={
                hasNumbers
                  ? { dialers: dialers.data ?? [], dialer, onDialer: setDialerId, from, onFrom: setFrom }
                  : null
              }
            />
          )}
          {hasNumbers && dialers.error && (
            <ErrorState error={dialers.error} onRetry={() => void dialers.refetch()} />
          )}
          <TimesSection times={times} onChange={setTimes} issues={issues} />
          {lines.length > 0 && (
            <Alert color="red" icon={<TriangleAlertIcon />} title="Some rows are not valid" role="alert">
              <List size="sm" spacing={2}>
                {lines.slice(0, MAX_SHOWN_ISSUES).map((text) => (
                  <List.Item key={text}>{text}</List.Item>
                ))}
              </List>
              {lines.length > MAX_SHOWN_ISSUES && (
                <Text fz="sm">and {lines.length - MAX_SHOWN_ISSUES} more</Text>
              )}
            </Alert>
          )}
          {create.error && issues.all.length === 0 && <ErrorState error={errorForUser(create.error)} />}
          <Group justify="flex-end">
            <Button type="submit" disabled={!isComplete} loading={create.isPending}>
              {csv
                ? `Schedule ${csv.rows.length === 1 ? '1 call' : `${csv.rows.length.toLocaleString()} calls`}`
                : 'Schedule calls'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}

/**
 * The page uses one key for all attempts to send its batch: if a response is lost, the next attempt returns the batch
 * of the first one.
 */
function newKey(): string {
  // Pages without HTTPS have no crypto.randomUUID.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

/** Returns the error for users, who do not know the idempotency key. */
function errorForUser(error: Error): Error {
  return error instanceof ApiProblem && error.code === 'idempotency_key_used'
    ? new Error(
        'An earlier attempt has already scheduled calls, without your last changes. See the batches of the agent.',
      )
    : error;
}
