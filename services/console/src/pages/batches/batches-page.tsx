import { Button, Card } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import { PlusIcon } from 'lucide-react';
import { dataOf, api } from '../../api/client.ts';
import { LIVE_REFRESH_MS } from '../../api/queries.ts';
import { useList } from '../../api/use-list.ts';
import { Changes } from '../../components/changes.tsx';
import { AgentSelect } from '../../components/agent-select.tsx';
import { Toolbar } from '../../components/layout.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { BatchProgress, BatchState, type Batch } from './batch-state.tsx';

const COLUMNS: readonly Column<Batch>[] = [
  {
    key: 'batch',
    header: 'Created',
    cell: ({ created, totalCount }) => (
      <>
        <RelativeTime at={created} />, {totalCount === 1 ? '1 call' : `${totalCount.toLocaleString()} calls`}
      </>
    ),
  },
  { key: 'state', header: 'State', cell: (batch) => <BatchState batch={batch} /> },
  { key: 'progress', header: 'Progress', width: '40%', cell: (batch) => <BatchProgress batch={batch} /> },
  {
    key: 'window',
    header: 'Ends',
    align: 'right',
    wideOnly: true,
    cell: ({ windowEnd }) => (windowEnd == null ? 'No limit' : <RelativeTime at={windowEnd} />),
  },
];

export function Component() {
  const [params, setParams] = useSearchParams();
  const agentId = params.get('agentId') ?? '';
  const create = (
    <Changes>
      {' '}
      <Button
        component={Link}
        to={agentId === '' ? '/batches/new' : `/batches/new?agentId=${agentId}`}
        leftSection={<PlusIcon size={16} />}
      >
        New batch
      </Button>
    </Changes>
  );
  return (
    <Page
      title="Batches"
      description="Calls that an agent makes within a time window, from a CSV file."
      actions={create}
    >
      <Toolbar>
        <AgentSelect
          label="Choose an agent"
          value={agentId}
          onChange={(chosen) => setParams(chosen === '' ? {} : { agentId: chosen }, { replace: true })}
          w={{ base: '100%', xs: 280 }}
        />
      </Toolbar>
      {agentId === '' ? (
        <Card padding="xl">
          <EmptyState title="Choose an agent to see its batches" action={create}>
            A batch makes up to 10,000 calls, as fast as the limits and its throttle allow.
          </EmptyState>
        </Card>
      ) : (
        <Batches key={agentId} agentId={agentId} />
      )}
    </Page>
  );
}

function Batches({ agentId }: { agentId: string }) {
  const list = useList<Batch>(
    ['batches', agentId],
    (cursor) =>
      dataOf(
        api.GET('/api/agents/{agent_id}/scheduled_batches', {
          params: { path: { agent_id: agentId }, query: { ...cursor, pageSize: 20 } },
        }),
      ),
    { refreshMs: LIVE_REFRESH_MS },
  );
  return (
    <ResourceTable
      caption="Batches"
      list={list}
      columns={COLUMNS}
      keyOf={({ batchId }) => batchId}
      linkOf={({ batchId }) => `/batches/${agentId}/${batchId}`}
      empty={<EmptyState title="This agent has no batch yet" />}
    />
  );
}
