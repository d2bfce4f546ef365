import { Group, Stack, Text } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { useList } from '../../api/use-list.ts';
import { Page } from '../../components/page.tsx';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Duration, RelativeTime } from '../../components/time.tsx';
import { CallFilterBar } from './call-filter-bar.tsx';
import { filtersFrom, filtersToParams, isNarrowed, queryOf } from './call-filters.ts';
import { callDurationMs, END_REASONS } from './call-labels.ts';

type Deleted = Schemas['CallTombstone'];

const PAGE_SIZE = 50;

const COLUMNS: readonly Column<Deleted>[] = [
  { key: 'call', header: 'Call', cell: ({ callId }) => <CallId callId={callId} /> },
  { key: 'state', header: 'End reason', cell: (call) => <EndReasonBadge call={call} /> },
  { key: 'started', header: 'Created', cell: ({ created }) => <RelativeTime at={created} /> },
  { key: 'length', header: 'Duration', align: 'right', cell: (call) => <Length call={call} /> },
  { key: 'had', header: 'Content', cell: (call) => <Faint>{contentText(call)}</Faint> },
  {
    key: 'deleted',
    header: 'Deleted',
    align: 'right',
    cell: ({ deletionTime }) => <RelativeTime at={deletionTime} />,
  },
];

export function Component() {
  const [params, setParams] = useSearchParams();
  const filters = filtersFrom(params);
  const list = useList<Deleted>(['calls', 'deleted', filters], (cursor) => {
    const { sort: _, ...query } = queryOf(filters, Date.now());
    return dataOf(
      api.GET('/api/deleted_calls', { params: { query: { ...query, ...cursor, pageSize: PAGE_SIZE } } }),
    );
  });
  return (
    <Page
      title="Deleted calls"
      description="Calls that were deleted by a user or by their retention policy. Only their times remain, for usage and billing."
      back={{ to: '/calls', label: 'Calls' }}
    >
      <CallFilterBar
        filters={filters}
        onChange={(changed) => setParams(filtersToParams({ ...filters, ...changed }), { replace: true })}
        isDeleted
      />
      <ResourceTable
        caption="Deleted calls"
        list={list}
        columns={COLUMNS}
        keyOf={({ callId }) => callId}
        linkOf={({ callId }) => `/calls/${callId}`}
        card={(call) => <DeletedCard call={call} />}
        empty={
          <EmptyState
            title={isNarrowed(filters) ? 'No deleted call matches these filters' : 'No deleted calls'}
          />
        }
      />
    </Page>
  );
}

function DeletedCard({ call }: { call: Deleted }) {
  return (
    <Stack component="span" gap={6}>
      <Group component="span" justify="space-between" wrap="nowrap" gap="xs">
        <CallId callId={call.callId} />
        <EndReasonBadge call={call} />
      </Group>
      <Group component="span" gap="sm" fz="xs" c="dimmed">
        <span>
          created <RelativeTime at={call.created} />
        </span>
        {callDurationMs(call) !== null && <Length call={call} />}
        <span>
          deleted <RelativeTime at={call.deletionTime} />
        </span>
      </Group>
    </Stack>
  );
}

function CallId({ callId }: { callId: string }) {
  return <span className="mono">…{callId.slice(-8)}</span>;
}

function EndReasonBadge({ call: { endReason } }: { call: Deleted }) {
  if (endReason === null) return <StatusBadge tone="neutral">Ended</StatusBadge>;
  const { words, tone } = END_REASONS[endReason];
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
}

function Length({ call }: { call: Deleted }) {
  const ms = callDurationMs(call);
  return ms === null ? <Faint>–</Faint> : <Duration ms={ms} />;
}

function Faint({ children }: { children: string }) {
  return (
    <Text span inherit c="dimmed">
      {children}
    </Text>
  );
}

/** Names the deleted content besides the transcript. */
function contentText({ recordingEnabled, hadSummary }: Deleted): string {
  const had = [recordingEnabled && 'recording', hadSummary && 'summary'].filter((part) => part !== false);
  return had.length === 0 ? 'transcript' : `transcript, ${had.join(', ')}`;
}
