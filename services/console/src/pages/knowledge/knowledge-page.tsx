import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { PlusIcon } from 'lucide-react';
import { dataOf, api } from '../../api/client.ts';
import { LIVE_REFRESH_MS } from '../../api/queries.ts';
import { useList } from '../../api/use-list.ts';
import { Changes } from '../../components/changes.tsx';
import { createdColumn, TitleCell } from '../../components/list-cells.tsx';
import { FieldsFormDrawer } from '../../components/fields-form.tsx';
import { Page } from '../../components/page.tsx';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { CORPUS_FIELDS } from './corpus-fields.ts';
import { CORPUS_STATUSES, corpusTitle, type Corpus } from './corpus-labels.ts';

const COLUMNS: readonly Column<Corpus>[] = [
  {
    key: 'name',
    header: 'Corpus',
    width: '50%',
    cell: (corpus) => <TitleCell title={corpusTitle(corpus)} text={corpus.description} />,
  },
  { key: 'state', header: 'State', cell: ({ stats }) => <CorpusStatus stats={stats} /> },
  {
    key: 'documents',
    header: 'Documents',
    align: 'right',
    cell: ({ stats }) => stats.numDocs.toLocaleString(),
  },
  {
    key: 'passages',
    header: 'Passages',
    align: 'right',
    wideOnly: true,
    cell: ({ stats }) => stats.numChunks.toLocaleString(),
  },
  createdColumn(),
];

export function Component() {
  const [isAdding, setAdding] = useState(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const list = useList<Corpus>(
    ['corpora'],
    (cursor) => dataOf(api.GET('/api/corpora', { params: { query: { ...cursor, pageSize: 50 } } })),
    { refreshMs: LIVE_REFRESH_MS },
  );
  const add = (
    <Changes>
      {' '}
      <Button leftSection={<PlusIcon size={16} />} onClick={() => setAdding(true)}>
        New corpus
      </Button>
    </Changes>
  );
  return (
    <Page
      title="Knowledge"
      description="Documents and web sites that agents can search, grouped into corpora."
      actions={add}
    >
      <ResourceTable
        caption="Corpora"
        list={list}
        columns={COLUMNS}
        keyOf={({ corpusId }) => corpusId}
        linkOf={({ corpusId }) => `/knowledge/${corpusId}`}
        empty={
          <EmptyState title="No corpus yet" action={add}>
            Create one, then add files or a web site to it.
          </EmptyState>
        }
      />
      <FieldsFormDrawer
        opened={isAdding}
        onClose={() => setAdding(false)}
        title="New corpus"
        submitLabel="Create corpus"
        fields={CORPUS_FIELDS}
        save={async (body) => {
          const corpus = await dataOf(api.POST('/api/corpora', { body }));
          queries.setQueryData(['corpus', corpus.corpusId], corpus);
          void navigate(`/knowledge/${corpus.corpusId}`);
        }}
        onSaved={() => void queries.invalidateQueries({ queryKey: ['corpora'] })}
      />
    </Page>
  );
}

function CorpusStatus({ stats: { status } }: Pick<Corpus, 'stats'>) {
  const { words, tone } = CORPUS_STATUSES[status];
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
}
