import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import type { RerankSettings } from './behaviour.ts';
import { parseJson, type ServedExchange } from './exchange.ts';
import { wordsOf } from './hashed-vector.ts';

/** As Jina's and Cohere's: documents are texts, and a request has at most 1000. */
const rerankRequest = compileValidator(
  'rerank request',
  Type.Object({
    model: Type.String({ minLength: 1 }),
    query: Type.String({ minLength: 1 }),
    documents: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 1000 }),
    top_n: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
);

/** `POST /v1/rerank`. A document scores by the pairs of adjacent words that it has in common with the query. */
export async function handleRerank(
  exchange: ServedExchange,
  { behaviour, delayMs, logits }: RerankSettings,
): Promise<void> {
  const { model, query, documents, top_n: count } = rerankRequest.parse(parseJson(exchange.body));
  exchange.summary.asked = { model, query, documents: documents.length };
  await exchange.wait(delayMs);
  if (behaviour === 'garbage') {
    exchange.json(200, { results: [{ index: 'a' }] });
    return;
  }
  if (behaviour === 'empty') {
    exchange.json(200, { model, results: [] });
    return;
  }
  if (behaviour === 'cut' || behaviour === 'stall') {
    exchange.head(200, 'application/json');
    exchange.write('{"results": [');
    if (behaviour === 'stall') return exchange.hold();
    exchange.breakConnection();
    return;
  }
  const wanted = pairsOf(query);
  const results = documents.map((document, index) => {
    const there = pairsOf(document);
    const share = [...wanted].filter((pair) => there.has(pair)).length / Math.max(1, wanted.size);
    return { index, relevance_score: logits ? 8 * share - 4 : share };
  });
  results.sort((a, b) => b.relevance_score - a.relevance_score);
  exchange.json(200, {
    model,
    results: results.slice(0, count),
    usage: { total_tokens: wordsOf(query).length },
  });
}

function pairsOf(text: string): Set<string> {
  const words = wordsOf(text);
  return new Set(words.slice(1).map((word, i) => `${words[i] ?? ''} ${word}`));
}
