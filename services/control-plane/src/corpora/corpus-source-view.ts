import type { CorpusSource } from '@calls/api-contract/rest/corpus';
import type { CorpusSourceRow } from '@calls/store/tables/corpus-sources';

export function corpusSourceView(row: CorpusSourceRow): CorpusSource {
  return {
    corpusId: row.corpus_id,
    sourceId: row.source_id,
    created: row.created_at.toISOString(),
    name: row.name,
    description: row.description,
    stats: {
      status: statusOf(row),
      ...(row.loaded_at && { lastUpdated: row.loaded_at.toISOString() }),
      numDocs: row.documents,
      ...(row.last_error !== null && { lastError: row.last_error }),
    },
    ...row.spec,
  };
}

function statusOf({ state, loaded_at }: CorpusSourceRow): CorpusSource['stats']['status'] {
  if (state === 'ready') return 'SOURCE_STATUS_READY';
  return loaded_at === null ? 'SOURCE_STATUS_INITIALIZING' : 'SOURCE_STATUS_UPDATING';
}
