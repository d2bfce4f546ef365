import { Text } from '@mantine/core';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { SLOW_REFRESH_MS } from '../../api/queries.ts';
import { useList } from '../../api/use-list.ts';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { CallCard, callColumns } from '../calls/call-columns.tsx';
import type { Tool } from './tool-labels.ts';

type Entry = Schemas['ToolHistory'];

const CALL_COLUMNS = ['call', 'state', 'started', 'length'];
const COLUMNS: readonly Column<Entry>[] = [
  ...callColumns
    .filter(({ key }) => CALL_COLUMNS.includes(key))
    .map((column): Column<Entry> => ({ ...column, cell: ({ call }) => column.cell(call) })),
  {
    key: 'errors',
    header: 'Errors',
    align: 'right',
    cell: ({ errorCount }) => <ErrorCount count={errorCount} />,
  },
];

/** The calls that had the tool, and the failures of the tool. */
export function ToolHistory({ tool: { toolId } }: { tool: Tool }) {
  const list = useList(
    ['tool', toolId, 'history'],
    (cursor) =>
      dataOf(
        api.GET('/api/tools/{tool_id}/history', {
          params: { path: { tool_id: toolId }, query: { ...cursor, pageSize: 20 } },
        }),
      ),
    { refreshMs: SLOW_REFRESH_MS },
  );
  return (
    <ResourceTable
      caption="Calls with this tool"
      list={list}
      columns={COLUMNS}
      keyOf={({ call }) => call.callId}
      linkOf={({ call }) => `/calls/${call.callId}`}
      card={({ call, errorCount }) => (
        <>
          <CallCard call={call} />
          <Text component="span" fz="sm">
            Errors: <ErrorCount count={errorCount} />
          </Text>
        </>
      )}
      empty={<EmptyState title="No call had this tool" />}
    />
  );
}

function ErrorCount({ count }: { count: number }) {
  return (
    <Text span inherit {...(count > 0 && { c: 'var(--mantine-color-error)' })}>
      {count}
    </Text>
  );
}
