import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { DownloadIcon } from 'lucide-react';
import { allItems } from '../../api/all-pages.ts';
import { dataOf, api } from '../../api/client.ts';
import { download } from '../../components/download.ts';
import { ProblemText } from '../../components/states.tsx';
import { resultsCsv } from './batch-results.ts';
import type { Batch } from './batch-state.tsx';

const PAGE_SIZE = 100;

/** Downloads the calls of the batch with their results as CSV. */
export function ExportResults({ agentId, batch }: { agentId: string; batch: Batch }) {
  const { batchId, totalCount } = batch;
  const [count, setCount] = useState(0);
  const path = { agent_id: agentId, batch_id: batchId };
  const save = useMutation({
    mutationFn: async () => {
      const scheduled = await allItems(
        (cursor) =>
          dataOf(
            api.GET('/api/agents/{agent_id}/scheduled_batches/{batch_id}/scheduled_calls', {
              params: { path, query: { ...cursor, pageSize: PAGE_SIZE } },
            }),
          ),
        setCount,
      );
      const calls = await allItems(
        (cursor) =>
          dataOf(
            api.GET('/api/agents/{agent_id}/scheduled_batches/{batch_id}/created_calls', {
              params: { path, query: { ...cursor, pageSize: PAGE_SIZE } },
            }),
          ),
        (loaded) => setCount(scheduled.length + loaded),
      );
      download(`batch-${batchId}.csv`, 'text/csv', resultsCsv(scheduled, calls));
    },
  });
  const percent = Math.min(100, Math.round((count / (2 * totalCount)) * 100));
  return (
    <>
      <Button
        variant="default"
        leftSection={<DownloadIcon size={16} />}
        disabled={save.isPending}
        onClick={() => {
          setCount(0);
          save.mutate();
        }}
      >
        {save.isPending ? `Exporting, ${percent} %` : 'Export results'}
      </Button>
      <ProblemText error={save.error} />
    </>
  );
}
