import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { PlusIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { SLOW_REFRESH_MS } from '../../api/queries.ts';
import { useList } from '../../api/use-list.ts';
import { Changes } from '../../components/changes.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { createdColumn, TitleCell } from '../../components/list-cells.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { Toolbar } from '../../components/layout.tsx';

type Agent = Schemas['Agent'];

const columns: readonly Column<Agent>[] = [
  {
    key: 'name',
    header: 'Agent',
    cell: ({ name, callTemplate }) => (
      <TitleCell title={name || 'Unnamed agent'} text={callTemplate?.systemPrompt ?? 'No prompt yet'} />
    ),
  },
  {
    key: 'voice',
    header: 'Voice',
    wideOnly: true,
    cell: ({ callTemplate }) => callTemplate?.voice ?? <Faint>Default</Faint>,
  },
  {
    key: 'model',
    header: 'Model',
    wideOnly: true,
    cell: ({ callTemplate }) => callTemplate?.model ?? <Faint>Default</Faint>,
  },
  {
    key: 'calls',
    header: 'Calls',
    align: 'right',
    cell: ({ statistics }) => statistics.calls.toLocaleString(),
  },
  {
    key: 'id',
    header: 'Id',
    wideOnly: true,
    cell: ({ agentId }) => <Copyable text={agentId} short what="agent id" />,
  },
  createdColumn(),
];

export function Component() {
  const [search, setSearch] = useState('');
  const list = useList(
    ['agents', search],
    (cursor) =>
      dataOf(
        api.GET('/api/agents', { params: { query: { ...cursor, pageSize: 50, ...(search && { search }) } } }),
      ),
    { refreshMs: SLOW_REFRESH_MS },
  );
  const create = (
    <Changes>
      {' '}
      <Button component={Link} to="/agents/new" leftSection={<PlusIcon size={16} />}>
        New agent
      </Button>
    </Changes>
  );
  return (
    <Page title="Agents" description="Templates for calls: prompt, voice, tools and limits." actions={create}>
      <Toolbar>
        <SearchInput label="Search agents" value={search} onChange={setSearch} />
      </Toolbar>
      <ResourceTable
        caption="Agents"
        list={list}
        columns={columns}
        keyOf={({ agentId }) => agentId}
        linkOf={({ agentId }) => `/agents/${agentId}`}
        empty={
          search === '' ? (
            <EmptyState title="No agents yet" action={create}>
              An agent answers calls. Give it a name and a prompt, then talk to it here.
            </EmptyState>
          ) : (
            <EmptyState title="No agent matches this name">
              Search for a different part of the name.
            </EmptyState>
          )
        }
      />
    </Page>
  );
}

function Faint({ children }: { children: string }) {
  return (
    <Text component="span" c="dimmed" inherit>
      {children}
    </Text>
  );
}
