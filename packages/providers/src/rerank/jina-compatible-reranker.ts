import { ProviderError } from '@calls/engine-ports/provider-error';
import type { RankedText, Reranker } from '@calls/engine-ports/reranker';
import type { Clock } from '@calls/foundation/clock';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import type { ConnectionPool } from '../http/connection-pool.ts';
import { requestJson } from '../http/json-request.ts';
import type { RerankConfig } from './rerank-config.ts';

/** Adapter name for errors. */
const PROVIDER = 'jina-compatible-rerank';

/** The response of `POST /rerank`; other fields are ignored. */
const rerankResponse = compileValidator(
  'rerank',
  Type.Object({
    results: Type.Array(Type.Object({ index: Type.Integer({ minimum: 0 }), relevance_score: Type.Number() })),
  }),
);

/** Reranking by any server with the protocol of Jina and Cohere (vLLM, llama.cpp, Infinity, hosted). */
export function createJinaCompatibleReranker({
  config,
  ...deps
}: {
  config: RerankConfig;
  pool: ConnectionPool;
  clock: Clock;
}): Reranker {
  const { model, timeoutMs, maxPassages } = config;
  return {
    maxTexts: maxPassages,
    async rank(query, texts, signal) {
      const { results } = await requestJson(deps, {
        ...{
          provider: PROVIDER,
          endpoint: config,
          path: '/rerank',
          response: rerankResponse,
          timeoutMs,
          signal,
        },
        body: { model, query, documents: texts, top_n: texts.length },
        confidential: [query, ...texts],
        timeoutMessage: `passages were not reranked within ${timeoutMs} ms`,
      });
      return rankingOf(results, texts.length);
    },
  };
}

function rankingOf(
  results: readonly { index: number; relevance_score: number }[],
  count: number,
): RankedText[] {
  const indices = new Set(results.map(({ index }) => index));
  if (results.length !== count || indices.size !== count || results.some(({ index }) => index >= count))
    throw new ProviderError(PROVIDER, 'malformed', 'the response does not have a score for each text');
  // Some servers return logits, which have no bounds.
  const areShares = results.every(({ relevance_score: score }) => score >= 0 && score <= 1);
  return results
    .map(({ index, relevance_score: score }) => ({
      index,
      score: areShares ? score : 1 / (1 + Math.exp(-score)),
    }))
    .sort((a, b) => b.score - a.score);
}
