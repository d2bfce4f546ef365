import { Group, SegmentedControl, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { LIVE_REFRESH_MS } from '../../api/queries.ts';
import { useList } from '../../api/use-list.ts';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import { calledNumber, flat } from './batch-results.ts';
import type { Batch } from './batch-state.tsx';

type ScheduledCall = Schemas['ScheduledCall'];
type Status = ScheduledCall['status'];

const STATUSES: Readonly<Record<Status, { words: string; tone: Tone }>> = {
  FUTURE: { words: 'Scheduled', tone: 'neutral' },
  PENDING: { words: 'Waiting', tone: 'warning' },
  SUCCESS: { words: 'Created', tone: 'good' },
  EXPIRED: { words: 'Expired', tone: 'bad' },
  ERROR: { words: 'Failed', tone: 'bad' },
};
const CHOICES: { value: Status | ''; label: string }[] = [
  { value: '', label: 'All' },
  { value: 'PENDING', label: 'Waiting' },
  { value: 'SUCCESS', label: 'Created' },
  { value: 'ERROR', label: 'Failed' },
  { value: 'EXPIRED', label: 'Expired' },
];

/** Scheduled calls have no id; two may be equal. */
interface Row {
  readonly index: number;
  readonly call: ScheduledCall;
}

const COLUMNS: readonly Column<Row>[] = [
  { key: 'what', header: 'Call', width: '50%', cell: ({ call }) => <Subject call={call} /> },
  {
    key: 'status',
    header: 'Status',
    cell: ({ call: { status } }) => (
      <StatusBadge tone={STATUSES[status].tone}>{STATUSES[status].words}</StatusBadge>
    ),
  },
  { key: 'result', header: 'Result', cell: ({ call }) => <Result call={call} /> },
];

/** The calls of a batch, in its order. */
export function ScheduledCalls({ agentId, batch }: { agentId: string; batch: Batch }) {
  const [status, setStatus] = useState<Status | ''>('');
  const { batchId, endedAt } = batch;
  const list = useList<ScheduledCall>(
    // The last calls change at the same time as the end of the batch.
    ['batch', batchId, 'calls', status, endedAt],
    (cursor) =>
      dataOf(
        api.GET('/api/agents/{agent_id}/scheduled_batches/{batch_id}/scheduled_calls', {
          params: {
            path: { agent_id: agentId, batch_id: batchId },
            query: { ...cursor, pageSize: 50, ...(status !== '' && { status }) },
          },
        }),
      ),
    endedAt === null ? { refreshMs: LIVE_REFRESH_MS } : {},
  );
  return (
    <section aria-labelledby="calls">
      <Group justify="space-between" mb="sm">
        <Title order={2} id="calls">
          Calls
        </Title>
        <SegmentedControl
          aria-label="Which calls"
          size="xs"
          data={CHOICES}
          value={status}
          onChange={setStatus}
        />
      </Group>
      <ResourceTable
        caption="Calls of the batch"
        list={{ ...list, items: list.items?.map((call, index) => ({ call, index })) }}
        columns={COLUMNS}
        keyOf={({ index }) => String(index)}
        empty={<EmptyState title="None" />}
      />
    </section>
  );
}

/** The called number, and the values of the row. */
function Subject({ call }: { call: ScheduledCall }) {
  const values = Object.values({
    ...flat('context', call.templateContext),
    ...flat('metadata', call.metadata),
  });
  const number = calledNumber(call);
  return (
    <>
      {number !== undefined && <span className="mono">{number}</span>}
      <Text
        component="span"
        display="block"
        fz="sm"
        c="dimmed"
        lineClamp={2}
        style={{ overflowWrap: 'anywhere' }}
      >
        {values.filter((value) => value !== '').join(', ')}
      </Text>
    </>
  );
}

function Result({ call: { callId, error } }: { call: ScheduledCall }) {
  if (callId !== null) {
    return (
      <Link to={`/calls/${callId}`} className="link">
        Call <span className="mono">{callId.slice(-8)}</span>
      </Link>
    );
  }
  return (
    <Text span fz="sm" style={{ overflowWrap: 'anywhere' }}>
      {error}
    </Text>
  );
}
