import type { Corpus, CorpusDocument, CorpusSource } from '@calls/api-contract/rest/corpus';
import type { CorpusRow, RetrievalMethod } from '@calls/store/tables/corpora';
import type { CorpusDocumentRow } from '@calls/store/tables/corpus-documents';
import type { CorpusSourceRow } from '@calls/store/tables/corpus-sources';

/** `model`: the configured embedding model; null if there is none. */
export function corpusView(row: CorpusRow, model: string | null): Corpus {
  const vectors = model === null ? 0 : (row.vectors[model] ?? 0);
  const retrieval = vectors > 0 ? row.retrieval : 'full_text';
  return {
    corpusId: row.corpus_id,
    created: row.created_at.toISOString(),
    name: row.name,
    description: row.description,
    retrieval: RETRIEVAL[row.retrieval],
    stats: {
      status: corpusStatus(row),
      ...(row.loaded_at && { lastUpdated: row.loaded_at.toISOString() }),
      numChunks: row.chunks,
      numDocs: row.documents,
      numVectors: vectors,
      retrieval: RETRIEVAL[retrieval],
      ...(model !== null && retrieval === 'hybrid' && { vectorSearch: vectorSearch(row, model) }),
      ...(model !== null && row.embedding_error !== null && { embeddingError: row.embedding_error }),
    },
  };
}

const RETRIEVAL = {
  full_text: 'CORPUS_RETRIEVAL_FULL_TEXT',
  hybrid: 'CORPUS_RETRIEVAL_HYBRID',
} as const satisfies Record<RetrievalMethod, Corpus['stats']['retrieval']>;

function vectorSearch(
  { unindexed_models: models }: CorpusRow,
  model: string,
): NonNullable<Corpus['stats']['vectorSearch']> {
  return models.includes(model) ? 'CORPUS_VECTOR_SEARCH_EXACT' : 'CORPUS_VECTOR_SEARCH_HNSW';
}

/** The stored form; undefined if the field is not given. */
export function retrievalOf(given: Corpus['retrieval']): RetrievalMethod | undefined {
  if (given === undefined) return undefined;
  return given === RETRIEVAL.hybrid ? 'hybrid' : 'full_text';
}

function corpusStatus({ loading, documents }: CorpusRow): Corpus['stats']['status'] {
  if (loading) return documents > 0 ? 'CORPUS_STATUS_UPDATING' : 'CORPUS_STATUS_INITIALIZING';
  return documents > 0 ? 'CORPUS_STATUS_READY' : 'CORPUS_STATUS_EMPTY';
}

export function corpusSourceView(row: CorpusSourceRow): CorpusSource {
  return {
    corpusId: row.corpus_id,
    sourceId: row.source_id,
    created: row.created_at.toISOString(),
    name: row.name,
    description: row.description,
    stats: {
      status: sourceStatus(row),
      ...(row.loaded_at && { lastUpdated: row.loaded_at.toISOString() }),
      numDocs: row.documents,
      ...(row.last_error !== null && { lastError: row.last_error }),
    },
    ...row.spec,
  };
}

function sourceStatus({ state, loaded_at }: CorpusSourceRow): CorpusSource['stats']['status'] {
  if (state === 'ready') return 'SOURCE_STATUS_READY';
  return loaded_at === null ? 'SOURCE_STATUS_INITIALIZING' : 'SOURCE_STATUS_UPDATING';
}

export function corpusDocumentView(row: CorpusDocumentRow): CorpusDocument {
  const title = row.title ?? row.file_name;
  return {
    corpusId: row.corpus_id,
    // Rows of views always have a source.
    sourceId: row.source_id ?? '',
    documentId: row.document_id,
    created: row.created_at.toISOString(),
    mimeType: row.mime_type,
    metadata: {
      ...(row.url !== null && { publicUrl: row.url }),
      ...(row.language !== null && { language: row.language }),
      ...(title !== null && title !== '' && { title }),
      ...(row.description !== null && { description: row.description }),
      ...(row.published_at && { published: row.published_at.toISOString() }),
      ...(row.example_queries.length > 0 && { exampleQueries: row.example_queries }),
    },
    sizeBytes: String(row.size_bytes ?? 0),
  };
}
