import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { SLOW_REFRESH_MS } from '../../api/queries.ts';
import { useList } from '../../api/use-list.ts';
import { bytesText } from '../../components/bytes-text.ts';
import { DeleteButton } from '../../components/delete-button.tsx';
import { Facts } from '../../components/layout.tsx';
import { SideDrawer } from '../../components/side-drawer.tsx';
import { ResourceTable, type Column } from '../../components/resource-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { crawlOf, sourceTitle, type Source } from './corpus-labels.ts';
import { LoadAgain } from './load-again.tsx';

type Document = Schemas['CorpusDocument'];

/** A source with its documents; open while `source` is set. */
export function SourceDrawer(props: {
  source: Source | undefined;
  onClose: () => void;
  onChanged: () => void;
}) {
  const { source, onClose, onChanged } = props;
  return (
    <SideDrawer opened={source !== undefined} onClose={onClose} title="Source">
      {source && <SourceDetails source={source} onClose={onClose} onChanged={onChanged} />}
    </SideDrawer>
  );
}

function SourceDetails({
  source,
  onClose,
  onChanged,
}: Parameters<typeof SourceDrawer>[0] & { source: Source }) {
  const { corpusId, sourceId, created, description } = source;
  const path = { corpus_id: corpusId, source_id: sourceId };
  const crawl = crawlOf(source);
  const documents = useList<Document>(
    ['corpus', corpusId, 'sources', sourceId, 'documents'],
    (cursor) =>
      dataOf(
        api.GET('/api/corpora/{corpus_id}/sources/{source_id}/documents', {
          params: { path, query: { ...cursor, pageSize: 50 } },
        }),
      ),
    { refreshMs: SLOW_REFRESH_MS },
  );
  return (
    <Stack>
      <div>
        <Title order={2} fz="lg" style={{ overflowWrap: 'anywhere' }}>
          {sourceTitle(source)}
        </Title>
        {description && <Text c="dimmed">{description}</Text>}
      </div>
      <Facts
        facts={[
          crawl ? ['Start URLs', crawl.startUrls.join(', ')] : null,
          crawl ? ['Links to follow', crawl.maxDepth ?? 3] : null,
          crawl ? ['Maximum pages', crawl.maxDocuments ?? 100] : null,
          ['Added', <RelativeTime at={created} />],
        ]}
      />
      <ResourceTable
        caption="Documents"
        list={documents}
        columns={COLUMNS}
        keyOf={({ documentId }) => documentId}
        empty={<EmptyState title="No documents yet" />}
      />
      <Group gap="xs">
        <LoadAgain source={source} size="sm" />
        <DeleteButton
          what="source"
          title={`Delete ${sourceTitle(source)}?`}
          onConfirm={() =>
            dataOf(api.DELETE('/api/corpora/{corpus_id}/sources/{source_id}', { params: { path } }))
          }
          onDone={() => {
            onClose();
            onChanged();
          }}
        >
          Its documents are deleted and no longer found.
        </DeleteButton>
      </Group>
    </Stack>
  );
}

const COLUMNS: readonly Column<Document>[] = [
  { key: 'title', header: 'Document', cell: (document) => <DocumentTitle document={document} /> },
  { key: 'size', header: 'Size', align: 'right', cell: ({ sizeBytes }) => bytesText(Number(sizeBytes)) },
];

function DocumentTitle({ document: { documentId, mimeType, metadata } }: { document: Document }) {
  const { title, publicUrl } = metadata;
  const text = title ?? publicUrl ?? `…${documentId.slice(-8)}`;
  return (
    <>
      <Text component="span" display="block" inherit style={{ overflowWrap: 'anywhere' }}>
        {publicUrl === undefined ? (
          text
        ) : (
          <Anchor href={publicUrl} target="_blank" rel="noreferrer" className="link" inherit>
            {text}
          </Anchor>
        )}
      </Text>
      <Text component="span" fz="xs" c="dimmed">
        {mimeType}
      </Text>
    </>
  );
}
