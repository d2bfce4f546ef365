import type { CorpusQueryResult } from '@calls/api-contract/rest/corpus';
import type { Reranker } from '@calls/engine-ports/reranker';
import type { TextEmbedder } from '@calls/engine-ports/text-embedder';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import type { RetrievalMethod } from '@calls/store/tables/corpora';
import { passagesOfVectors, searchCorpus, type FoundChunk } from '@calls/store/tables/corpus-search';
import type { VectorSearch } from '../vectors/vector-search.ts';
import { fuseRanks } from './fuse-ranks.ts';
import { parseQuery, type ParsedQuery } from './parse-query.ts';

export interface RetrievalDeps {
  db: Database;
  /** Null if no endpoint for embeddings is configured: then full-text search responds alone. */
  embeddings: Embeddings | null;
  /** Null if no endpoint for reranking is configured. */
  reranker: Reranker | null;
  clock: Clock;
  log: Logger;
}

export interface Embeddings {
  /** Embeds queries, with the time limit of queries. */
  embedder: TextEmbedder;
  vectors: VectorSearch;
}

interface RetrievalRequest {
  corpusId: string;
  /** How the corpus is to be searched. */
  retrieval: RetrievalMethod;
  /** Words, quoted phrases, and excluded words after a hyphen. Any text is valid; one without words finds nothing. */
  query: string;
  maxResults: number;
}

/** Passages of each ranking that are fused. */
const FUSED_RANKS = 50;
/** More than are fused, because some may no longer exist or have unwanted words. */
const VECTOR_HITS = 100;
/**
 * Time limit that starts with the embedding of the query. It includes reading the vectors of a corpus that was not
 * queried before.
 */
const VECTOR_LIMIT_MS = 1200;

/**
 * Finds the passages of a corpus that match a query, best first: with PostgreSQL's full-text search and, if configured,
 * by the similarity of embeddings. A reranker, if configured, decides the order of the best. The caller checks access to
 * the corpus.
 */
export async function retrievePassages(
  deps: RetrievalDeps,
  request: RetrievalRequest,
): Promise<CorpusQueryResult[]> {
  const { corpusId, query, maxResults } = request;
  const parsed = parseQuery(query);
  if (parsed.wanted === '') return [];
  const { reranker, log } = deps;
  if (!reranker) return foundPassages(deps, parsed, request);
  const passages = await foundPassages(deps, parsed, {
    ...request,
    maxResults: Math.max(maxResults, reranker.maxTexts),
  });
  return (await reranked(reranker, query, passages, { corpusId, log })).slice(0, maxResults);
}

/** Returns the order of the search if the reranker fails. */
async function reranked(
  reranker: Reranker,
  query: string,
  passages: CorpusQueryResult[],
  { corpusId, log }: { corpusId: string; log: Logger },
): Promise<CorpusQueryResult[]> {
  if (passages.length < 2) return passages;
  const texts = passages.slice(0, reranker.maxTexts).map(({ content }) => content);
  try {
    const ranked = await reranker.rank(query, texts, new AbortController().signal);
    return ranked.flatMap(({ index, score }) => {
      const passage = passages[index];
      return passage ? { ...passage, score } : [];
    });
  } catch (thrown) {
    log.warn({ corpusId, err: toError(thrown) }, 'failed to rerank passages; used the order of the search');
    return passages;
  }
}

async function foundPassages(
  { db, embeddings, clock, log }: RetrievalDeps,
  parsed: ParsedQuery,
  { corpusId, retrieval, query, maxResults }: RetrievalRequest,
): Promise<CorpusQueryResult[]> {
  const byWords = (limit: number): Promise<FoundChunk[]> => searchCorpus(db, { corpusId, ...parsed, limit });
  if (!embeddings || retrieval !== 'hybrid') return (await byWords(maxResults)).map(resultOf);
  const byMeaning = similarPassages(db, { ...embeddings, clock }, { corpusId, query, parsed }).catch(
    (thrown: unknown) => {
      log.warn({ corpusId, err: toError(thrown) }, 'failed to search by embeddings; used full text');
      return null;
    },
  );
  const words = await byWords(FUSED_RANKS);
  const meaning = await byMeaning;
  if (meaning === null || meaning.length === 0) return words.slice(0, maxResults).map(resultOf);
  return fuseRanks([words, meaning], ({ document_id, chunk_index }) => `${document_id} ${chunk_index}`)
    .slice(0, maxResults)
    .map(({ item, score }) => resultOf({ ...item, score }));
}

async function similarPassages(
  db: Database,
  { embedder, vectors, clock }: Embeddings & { clock: Clock },
  { corpusId, query, parsed }: { corpusId: string; query: string; parsed: ParsedQuery },
): Promise<FoundChunk[]> {
  const limit = new AbortController();
  const timer = clock.setTimer(VECTOR_LIMIT_MS, () =>
    limit.abort(new Error(`no result within ${VECTOR_LIMIT_MS} ms`)),
  );
  try {
    const [vector] = await embedder.embed([query], limit.signal);
    if (!vector) return [];
    const { model } = embedder;
    const hits = await vectors.nearest({ corpusId, model, vector, limit: VECTOR_HITS }, limit.signal);
    const ranks = new Map(hits.map(({ id }, rank) => [id, rank]));
    const { unwanted } = parsed;
    const passages = await passagesOfVectors(db, { corpusId, model, vectorIds: [...ranks.keys()], unwanted });
    return passages
      .sort((a, b) => (ranks.get(a.vector_id) ?? 0) - (ranks.get(b.vector_id) ?? 0))
      .slice(0, FUSED_RANKS);
  } finally {
    timer.cancel();
  }
}

function resultOf(chunk: FoundChunk): CorpusQueryResult {
  const title = chunk.title ?? chunk.file_name;
  return {
    content: chunk.heading === '' ? chunk.content : `${chunk.heading}\n\n${chunk.content}`,
    score: chunk.score,
    citation: {
      sourceId: chunk.source_id,
      documentId: chunk.document_id,
      ...(chunk.url !== null && { publicUrl: chunk.url }),
      ...(title !== null && title !== '' && { title }),
    },
  };
}
