import { VectorThread } from '@calls/corpora/vectors/vector-thread';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { createOpenAiCompatibleEmbedder } from '@calls/providers/embeddings/openai-compatible-embedder';
import { createConnectionPool } from '@calls/providers/http/connection-pool';
import type { ControlPlaneConfig } from '../config.ts';
import { createKnowledge, type Knowledge } from '../corpora/knowledge.ts';
import type { Infrastructure } from './infrastructure.ts';

const BYTES_PER_MB = 1024 * 1024;

export interface Retrieval {
  knowledge: Knowledge;
}

/** Search in corpora: with embeddings if an endpoint is configured. */
export function startRetrieval(
  { embeddings: config, vectorCacheMb, databaseUrl }: ControlPlaneConfig,
  { db, clock, log }: Pick<Infrastructure, 'db' | 'clock' | 'log'>,
): Promise<Capability<Retrieval>> {
  return startCapability(log, async (components) => {
    if (!config) return { knowledge: createKnowledge({ db, embeddings: null, clock, log }) };
    const pool = components.own('embedding connections', createConnectionPool());
    const embedder = createOpenAiCompatibleEmbedder({
      config,
      timeoutMs: config.queryTimeoutMs,
      pool,
      clock,
    });
    const maxBytes = vectorCacheMb * BYTES_PER_MB;
    const vectors = components.own(
      'vectors',
      await VectorThread.start({ databaseUrl, maxBytes }, { log, clock }),
    );
    return { knowledge: createKnowledge({ db, embeddings: { embedder, vectors }, clock, log }) };
  });
}
