import { Button, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { FileUpIcon, PlusIcon } from 'lucide-react';
import { dataOf, api } from '../../api/client.ts';
import { SLOW_REFRESH_MS } from '../../api/queries.ts';
import { useList } from '../../api/use-list.ts';
import { Changes } from '../../components/changes.tsx';
import { Toolbar } from '../../components/layout.tsx';
import { TitleCell } from '../../components/list-cells.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { EmptyState } from '../../components/states.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { OpenApiDrawer } from './open-api-drawer.tsx';
import { runnerText, type Tool } from './tool-labels.ts';

const MAX_SEARCH = 40;
const OWNERS = [
  { value: 'private', label: 'Your own' },
  { value: 'public', label: 'Built in' },
] as const;
type Owner = (typeof OWNERS)[number]['value'];

const COLUMNS: readonly Column<Tool>[] = [
  {
    key: 'name',
    header: 'Tool',
    width: '45%',
    cell: ({ name, definition }) => <TitleCell title={name} text={definition.description} />,
  },
  {
    key: 'runner',
    header: 'Run by',
    wideOnly: true,
    cell: ({ definition }) => (
      <Text span inherit className={definition.http && 'mono'} style={{ overflowWrap: 'anywhere' }}>
        {runnerText(definition)}
      </Text>
    ),
  },
  {
    key: 'created',
    header: 'Created',
    align: 'right',
    wideOnly: true,
    cell: ({ created, ownership }) =>
      ownership === 'private' ? <RelativeTime at={created} /> : <Text c="dimmed">Built in</Text>,
  },
];

export function Component() {
  const [search, setSearch] = useState('');
  const [ownership, setOwnership] = useState<Owner>('private');
  const [isImporting, setImporting] = useState(false);
  const navigate = useNavigate();
  const list = useList(
    ['tools', ownership, search],
    (cursor) =>
      dataOf(
        api.GET('/api/tools', {
          params: {
            query: { ...cursor, pageSize: 50, ownership, sortOrder: 'alphabetic', ...(search && { search }) },
          },
        }),
      ),
    { refreshMs: SLOW_REFRESH_MS },
  );
  const create = (
    <Changes>
      <Button variant="default" leftSection={<FileUpIcon size={16} />} onClick={() => setImporting(true)}>
        From OpenAPI
      </Button>
      <Button component={Link} to="/tools/new" leftSection={<PlusIcon size={16} />}>
        New tool
      </Button>
    </Changes>
  );
  return (
    <Page title="Tools" description="What agents can do besides talking." actions={create}>
      <Toolbar>
        <SearchInput
          label="Search tools"
          value={search}
          onChange={(text) => setSearch(text.slice(0, MAX_SEARCH))}
        />
        <SegmentedControl
          aria-label="Which tools"
          data={[...OWNERS]}
          value={ownership}
          onChange={setOwnership}
        />
      </Toolbar>
      <ResourceTable
        caption="Tools"
        list={list}
        columns={COLUMNS}
        keyOf={({ toolId }) => toolId}
        linkOf={({ toolId }) => `/tools/${toolId}`}
        empty={
          search === '' ? (
            <EmptyState title="No tools yet" action={create}>
              A tool lets an agent call your server or your page, such as to look up an order.
            </EmptyState>
          ) : (
            <EmptyState title="No tool with this name" />
          )
        }
      />
      <OpenApiDrawer
        opened={isImporting}
        onClose={() => setImporting(false)}
        onCreated={({ toolId }) => void navigate(`/tools/${toolId}`)}
      />
    </Page>
  );
}
