import { ChosenVectorSearch, type VectorSearchMethod } from '@calls/corpora/vectors/vector-index';
import { VectorThread } from '@calls/corpora/vectors/vector-thread';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { createOpenAiCompatibleEmbedder } from '@calls/providers/embeddings/openai-compatible-embedder';
import { createConnectionPool } from '@calls/providers/http/connection-pool';
import { createJinaCompatibleReranker } from '@calls/providers/rerank/jina-compatible-reranker';
import type { ControlPlaneConfig } from '../config.ts';
import { createKnowledge, type Knowledge } from '../corpora/knowledge.ts';
import type { Infrastructure } from './infrastructure.ts';

const BYTES_PER_MB = 1024 * 1024;

export interface Retrieval {
  knowledge: Knowledge;
}

/** Search in corpora: with embeddings and a reranker if their endpoints are configured. */
export function startRetrieval(
  { embeddings: config, rerank, vectorCacheMb, databaseUrl, databaseQueryLimitMs }: ControlPlaneConfig,
  { db, metrics, clock, log }: Pick<Infrastructure, 'db' | 'metrics' | 'clock' | 'log'>,
): Promise<Capability<Retrieval>> {
  return startCapability(log, async (components) => {
    const searches = metrics.counter({
      name: 'corpus_vector_searches_total',
      help: 'Searches by embeddings, by their `method`: `hnsw` (the index of pgvector) or `exact` (all vectors compared)',
      labels: ['method'],
    });
    const pool = components.own('retrieval connections', createConnectionPool());
    const reranker = rerank && createJinaCompatibleReranker({ config: rerank, pool, clock });
    const deps = { db, reranker, clock, log };
    if (!config) return { knowledge: createKnowledge({ ...deps, embeddings: null }) };
    const embedder = createOpenAiCompatibleEmbedder({ config, texts: 'queries', pool, clock });
    const maxBytes = vectorCacheMb * BYTES_PER_MB;
    const exact = components.own(
      'vectors',
      await VectorThread.start({ databaseUrl, queryLimitMs: databaseQueryLimitMs, maxBytes }, { log, clock }),
    );
    const onSearch = (method: VectorSearchMethod): void => searches.inc({ method });
    const vectors = new ChosenVectorSearch({ db, exact, log, onSearch });
    return { knowledge: createKnowledge({ ...deps, embeddings: { embedder, vectors } }) };
  });
}
