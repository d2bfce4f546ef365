import { Anchor, Card, Code, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { dataOf, api } from '../../api/client.ts';
import { LIVE_REFRESH_MS } from '../../api/queries.ts';
import { Copyable } from '../../components/copyable.tsx';
import { DeleteButton } from '../../components/delete-button.tsx';
import { EditButton } from '../../components/edit-button.tsx';
import { FieldsFormDrawer } from '../../components/fields-form.tsx';
import { Facts } from '../../components/layout.tsx';
import { LoadedPage } from '../../components/loaded-page.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { CORPUS_FIELDS } from './corpus-fields.ts';
import { CORPUS_STATUSES, corpusTitle, type Corpus } from './corpus-labels.ts';
import { QuerySection } from './query-section.tsx';
import { SourcesSection } from './sources-section.tsx';

const BACK = { to: '/knowledge', label: 'Knowledge' };

export function Component() {
  const { corpusId = '' } = useParams();
  const corpus = useQuery({
    queryKey: ['corpus', corpusId],
    queryFn: () => dataOf(api.GET('/api/corpora/{corpus_id}', { params: { path: { corpus_id: corpusId } } })),
    refetchInterval: LIVE_REFRESH_MS,
  });
  return (
    <LoadedPage title="Corpus" back={BACK} query={corpus}>
      {(loaded) => <CorpusView corpus={loaded} />}
    </LoadedPage>
  );
}

function CorpusView({ corpus }: { corpus: Corpus }) {
  const { corpusId, name, description, created, stats } = corpus;
  const [isEditing, setEditing] = useState(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const params = { path: { corpus_id: corpusId } };
  const { words, tone } = CORPUS_STATUSES[stats.status];
  const changed = (): void => {
    void queries.invalidateQueries({ queryKey: ['corpora'] });
    void queries.invalidateQueries({ queryKey: ['corpus', corpusId] });
  };
  return (
    <Page
      title={corpusTitle(corpus)}
      {...(description && { description })}
      aside={<StatusBadge tone={tone}>{words}</StatusBadge>}
      back={BACK}
      actions={
        <>
          <EditButton onClick={() => setEditing(true)} />
          <DeleteButton
            what="corpus"
            title={`Delete ${corpusTitle(corpus)}?`}
            onConfirm={() => dataOf(api.DELETE('/api/corpora/{corpus_id}', { params }))}
            onDone={() => {
              void navigate('/knowledge');
              queries.removeQueries({ queryKey: ['corpus', corpusId] });
              void queries.invalidateQueries({ queryKey: ['corpora'] });
            }}
          >
            Its sources and documents are deleted. Agents that search it find nothing.
          </DeleteButton>
        </>
      }
    >
      <Stack gap="lg">
        <SourcesSection corpusId={corpusId} onChanged={changed} />
        <QuerySection corpusId={corpusId} retrieval={stats.retrieval} />
        <Card padding="md" fz="sm">
          <Stack gap="sm">
            <Facts
              facts={[
                ['Corpus id', <Copyable text={corpusId} what="corpus id" />],
                ['Documents', stats.numDocs.toLocaleString()],
                ['Passages', stats.numChunks.toLocaleString()],
                ['Search', foundBy(stats)],
                stats.embeddingError === undefined ? null : ['Last embedding error', stats.embeddingError],
                stats.lastUpdated === undefined ? null : ['Changed', <RelativeTime at={stats.lastUpdated} />],
                ['Created', <RelativeTime at={created} />],
              ]}
            />
            <Text fz="xs" c="dimmed">
              To let an agent search it, add the tool <Code>queryCorpus</Code> to the agent and set its
              parameter <Code>corpus_id</Code> to this id (
              <Anchor
                href="/docs/guides/knowledge"
                target="_blank"
                c="var(--calls-accent-text)"
                underline="always"
                inherit
              >
                guide
              </Anchor>
              ).
            </Text>
          </Stack>
        </Card>
      </Stack>
      <FieldsFormDrawer
        opened={isEditing}
        onClose={() => setEditing(false)}
        title="Edit corpus"
        fields={CORPUS_FIELDS}
        initial={{ name, description }}
        save={(body) => dataOf(api.PATCH('/api/corpora/{corpus_id}', { params, body: textsOf(body) }))}
        onSaved={changed}
      />
    </Page>
  );
}

function foundBy({ retrieval, numVectors, numChunks }: Corpus['stats']): string {
  if (retrieval === 'CORPUS_RETRIEVAL_FULL_TEXT') return 'Words';
  return numVectors === numChunks
    ? 'Words and meaning'
    : `Words, and meaning for ${numVectors.toLocaleString()} of ${numChunks.toLocaleString()} passages`;
}

/** Returns fields in which a cleared text is empty, not null. */
function textsOf(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? '']));
}
