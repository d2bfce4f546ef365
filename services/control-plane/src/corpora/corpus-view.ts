import type { Corpus } from '@calls/api-contract/rest/corpus';
import type { CorpusRow } from '@calls/store/tables/corpora';

export function corpusView(row: CorpusRow): Corpus {
  return {
    corpusId: row.corpus_id,
    created: row.created_at.toISOString(),
    name: row.name,
    description: row.description,
    stats: {
      status: statusOf(row),
      ...(row.loaded_at && { lastUpdated: row.loaded_at.toISOString() }),
      numChunks: row.chunks,
      numDocs: row.documents,
      numVectors: 0,
    },
  };
}

function statusOf({ loading, documents }: CorpusRow): Corpus['stats']['status'] {
  if (loading) return documents > 0 ? 'CORPUS_STATUS_UPDATING' : 'CORPUS_STATUS_INITIALIZING';
  return documents > 0 ? 'CORPUS_STATUS_READY' : 'CORPUS_STATUS_EMPTY';
}
