import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { useList } from '../../api/use-list.ts';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Tool } from './tool-labels.ts';

type Agent = Schemas['Agent'];

const COLUMNS: readonly Column<Agent>[] = [
  { key: 'name', header: 'Agent', cell: ({ name }) => name || 'Unnamed agent' },
  {
    key: 'calls',
    header: 'Calls',
    align: 'right',
    cell: ({ statistics }) => statistics.calls.toLocaleString(),
  },
];

/** The agents that select the tool in their current version. */
export function ToolUsers({ tool: { toolId } }: { tool: Tool }) {
  const list = useList(['agents', 'tool', toolId], (cursor) =>
    dataOf(api.GET('/api/agents', { params: { query: { ...cursor, pageSize: 20, toolId, sort: 'name' } } })),
  );
  return (
    <ResourceTable
      caption="Agents that use the tool"
      list={list}
      columns={COLUMNS}
      keyOf={({ agentId }) => agentId}
      linkOf={({ agentId }) => `/agents/${agentId}`}
      empty={
        <EmptyState
          title="No agent uses this tool"
          action={
            <Button component={Link} to="/agents" variant="default">
              Go to the agents
            </Button>
          }
        >
          Add it under Tools in the settings of an agent.
        </EmptyState>
      }
    />
  );
}
