import { Anchor, Button, Group, Progress, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { SearchIcon } from 'lucide-react';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { Changes } from '../../components/changes.tsx';
import { DecimalInput } from '../../components/decimal-input.tsx';
import { useFormIssues } from '../../components/form-issues.ts';
import { Section } from '../../components/layout.tsx';
import { ErrorState } from '../../components/states.tsx';
import classes from './knowledge.module.css';

type Result = Schemas['CorpusQueryResult'];
type Retrieval = Schemas['Corpus']['stats']['retrieval'];

const RETRIEVALS: { value: Retrieval; label: string }[] = [
  { value: 'CORPUS_RETRIEVAL_HYBRID', label: 'Words and meaning' },
  { value: 'CORPUS_RETRIEVAL_FULL_TEXT', label: 'Words' },
];

const DEFAULT_RESULTS = 5;

/** Searches the corpus as agents do. `retrieval`: the methods that the corpus supports. */
export function QuerySection({ corpusId, retrieval }: { corpusId: string; retrieval: Retrieval }) {
  const [query, setQuery] = useState('');
  const [maxResults, setMaxResults] = useState<number | undefined>(DEFAULT_RESULTS);
  const [wanted, setWanted] = useState<Retrieval>('CORPUS_RETRIEVAL_HYBRID');
  const isHybrid = retrieval === 'CORPUS_RETRIEVAL_HYBRID';
  const search = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/corpora/{corpus_id}/query', {
          params: { path: { corpus_id: corpusId } },
          body: {
            query: query.trim(),
            maxResults: maxResults ?? DEFAULT_RESULTS,
            ...(isHybrid && { retrieval: wanted }),
          },
        }),
      ),
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    search.mutate();
  };
  const issues = useFormIssues(search.error);
  return (
    <Section
      title="Query"
      description="See what an agent would find. Put phrases in “quotes”; a hyphen before a word excludes it. A higher score means a better match."
    >
      <form onSubmit={submit} noValidate>
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Question"
            placeholder="When is breakfast?"
            value={query}
            maxLength={4096}
            onChange={(event) => setQuery(event.currentTarget.value)}
            error={issues.at('query')}
            style={{ flex: '1 1 16rem' }}
          />
          <DecimalInput
            label="Passages"
            placeholder={String(DEFAULT_RESULTS)}
            value={maxResults}
            onChange={setMaxResults}
            min={1}
            max={20}
            error={issues.at('maxResults')}
            w={90}
          />
          {isHybrid && (
            <Select
              label="Search by"
              data={RETRIEVALS}
              value={wanted}
              onChange={(chosen) => setWanted(chosen ?? wanted)}
              allowDeselect={false}
              w={180}
            />
          )}
          <Changes>
            <Button
              type="submit"
              leftSection={<SearchIcon size={16} />}
              loading={search.isPending}
              disabled={query.trim() === ''}
            >
              Search
            </Button>
          </Changes>
        </Group>
      </form>
      <div aria-live="polite">
        {search.error && issues.all.length === 0 && <ErrorState error={search.error} />}
        {search.data?.length === 0 && (
          <Text c="dimmed" mt="md">
            No passage found.
          </Text>
        )}
        {search.data && search.data.length > 0 && (
          <ol className={classes.results} aria-label="Passages">
            {search.data.map((result, index) => (
              <Passage key={index} result={result} />
            ))}
          </ol>
        )}
      </div>
    </Section>
  );
}

function Passage({ result: { content, score, citation } }: { result: Result }) {
  const { title, publicUrl, documentId } = citation;
  const origin = title ?? publicUrl ?? `Document …${documentId.slice(-8)}`;
  return (
    <li>
      <Stack gap={6}>
        <Group gap="sm" wrap="nowrap">
          <Text span fz="sm" fw={550} truncate>
            {publicUrl === undefined ? (
              origin
            ) : (
              <Anchor href={publicUrl} target="_blank" rel="noreferrer" className="link" inherit>
                {origin}
              </Anchor>
            )}
          </Text>
          <Group gap={6} wrap="nowrap" ml="auto">
            <Progress value={score * 100} w={60} aria-hidden />
            <Text span fz="sm" className="numbers">
              {score.toFixed(2)}
            </Text>
          </Group>
        </Group>
        <Text fz="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {content}
        </Text>
      </Stack>
    </li>
  );
}
