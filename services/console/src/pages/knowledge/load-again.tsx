import { Button, type ButtonProps } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RotateCwIcon } from 'lucide-react';
import { dataOf, api } from '../../api/client.ts';
import { crawlOf, type Source } from './corpus-labels.ts';
import { Changes } from '../../components/changes.tsx';
import { ProblemText } from '../../components/states.tsx';

/** A button that crawls a web site again. Renders nothing for files, which do not change. */
export function LoadAgain({ source, size }: { source: Source; size: ButtonProps['size'] }) {
  const { corpusId, sourceId, stats } = source;
  const crawl = crawlOf(source);
  const queries = useQueryClient();
  const again = useMutation({
    mutationFn: () =>
      dataOf(
        api.PATCH('/api/corpora/{corpus_id}/sources/{source_id}', {
          params: { path: { corpus_id: corpusId, source_id: sourceId } },
          body: { crawl },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['corpus', corpusId] }),
  });
  if (!crawl) return null;
  return (
    <>
      <Changes>
        <Button
          variant="default"
          size={size}
          leftSection={<RotateCwIcon size={14} />}
          loading={again.isPending}
          disabled={stats.status !== 'SOURCE_STATUS_READY'}
          onClick={() => again.mutate()}
        >
          Crawl again
        </Button>
      </Changes>
      <ProblemText error={again.error} />
    </>
  );
}
