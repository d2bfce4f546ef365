import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { FileUpIcon, GlobeIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { LIVE_REFRESH_MS } from '../../api/queries.ts';
import { useList } from '../../api/use-list.ts';
import { Changes } from '../../components/changes.tsx';
import { FieldsFormDrawer } from '../../components/fields-form.tsx';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { CRAWL_FIELDS } from './corpus-fields.ts';
import { SOURCE_STATUSES, sourceTitle, type Source } from './corpus-labels.ts';
import { LoadAgain } from './load-again.tsx';
import { SourceDrawer } from './source-drawer.tsx';
import { UploadDrawer } from './upload-drawer.tsx';

/** The sources of a corpus. `onChanged`: its size and state may have changed. */
export function SourcesSection({ corpusId, onChanged }: { corpusId: string; onChanged: () => void }) {
  const [adding, setAdding] = useState<'site' | 'files' | null>(null);
  const [params, setParams] = useSearchParams();
  const path = { corpus_id: corpusId };
  const list = useList<Source>(
    ['corpus', corpusId, 'sources'],
    (cursor) =>
      dataOf(
        api.GET('/api/corpora/{corpus_id}/sources', { params: { path, query: { ...cursor, pageSize: 50 } } }),
      ),
    { refreshMs: LIVE_REFRESH_MS },
  );
  const changed = (): void => {
    list.retry();
    onChanged();
  };
  const close = (): void => setAdding(null);
  const shown = list.items?.find(({ sourceId }) => sourceId === params.get('source'));
  return (
    <section aria-labelledby="sources">
      <Group justify="space-between" mb="sm">
        <Title order={2} id="sources">
          Sources
        </Title>
        <Group gap="xs">
          <Changes>
            <Button
              size="xs"
              variant="default"
              leftSection={<FileUpIcon size={15} />}
              onClick={() => setAdding('files')}
            >
              Upload files
            </Button>
          </Changes>
          <Changes>
            <Button size="xs" leftSection={<GlobeIcon size={15} />} onClick={() => setAdding('site')}>
              Add a web site
            </Button>
          </Changes>
        </Group>
      </Group>
      <ResourceTable
        caption="Sources"
        list={list}
        columns={COLUMNS}
        keyOf={({ sourceId }) => sourceId}
        linkOf={({ sourceId }) => `?source=${sourceId}`}
        card={(source) => <SourceCard source={source} />}
        empty={<EmptyState title="No sources yet">Upload files, or add a web site to crawl.</EmptyState>}
      />
      <FieldsFormDrawer
        opened={adding === 'site'}
        onClose={close}
        title="Add a web site"
        submitLabel="Add source"
        fields={CRAWL_FIELDS}
        root="crawl"
        save={({ name, ...crawl }) => {
          const body = { ...(typeof name === 'string' && { name }), crawl: crawl as Schemas['CrawlSpec'] };
          return dataOf(api.POST('/api/corpora/{corpus_id}/sources', { params: { path }, body }));
        }}
        onSaved={changed}
      />
      <UploadDrawer opened={adding === 'files'} corpusId={corpusId} onClose={close} onSaved={changed} />
      <SourceDrawer source={shown} onClose={() => setParams({}, { replace: true })} onChanged={changed} />
    </section>
  );
}

const COLUMNS: readonly Column<Source>[] = [
  { key: 'name', header: 'Source', width: '40%', cell: (source) => <SourceName source={source} /> },
  { key: 'state', header: 'State', cell: (source) => <SourceState source={source} /> },
  {
    key: 'documents',
    header: 'Documents',
    align: 'right',
    cell: ({ stats }) => stats.numDocs.toLocaleString(),
  },
  {
    key: 'updated',
    header: 'Loaded',
    cell: ({ stats }) => stats.lastUpdated !== undefined && <RelativeTime at={stats.lastUpdated} />,
  },
  {
    key: 'again',
    header: 'Actions',
    align: 'right',
    cell: (source) => <LoadAgain source={source} size="compact-sm" />,
  },
];

function SourceCard({ source }: { source: Source }) {
  const { numDocs } = source.stats;
  return (
    <Stack component="span" gap={6}>
      <SourceName source={source} />
      <Group component="span" gap="sm" fz="sm">
        <SourceState source={source} />
        <span>{numDocs === 1 ? '1 document' : `${numDocs.toLocaleString()} documents`}</span>
      </Group>
    </Stack>
  );
}

function SourceName({ source }: { source: Source }) {
  return (
    <Text component="span" inherit style={{ overflowWrap: 'anywhere' }}>
      {sourceTitle(source)}
    </Text>
  );
}

function SourceState({ source: { stats } }: { source: Source }) {
  const { words, tone } = SOURCE_STATUSES[stats.status];
  return (
    <>
      <StatusBadge tone={stats.lastError !== undefined && tone === 'good' ? 'warning' : tone}>
        {words}
      </StatusBadge>
      {stats.lastError !== undefined && (
        <Text component="span" display="block" fz="sm" maw="36ch" style={{ overflowWrap: 'anywhere' }}>
          {stats.lastError}
        </Text>
      )}
    </>
  );
}
