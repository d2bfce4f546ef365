import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Corpus, CorpusQueryResult } from '@calls/api-contract/rest/corpus';
import { createDispatcher, type Dispatcher } from '@calls/dispatcher/dispatcher';
import { systemClock } from '@calls/foundation/clock';
import { EnvReader } from '@calls/foundation/env-reader';
import { silentLogger } from '@calls/foundation/logger';
import { readEmbeddingConfig, type EmbeddingConfig } from '@calls/providers/embeddings/embedding-config';
import { createOpenAiCompatibleEmbedder } from '@calls/providers/embeddings/openai-compatible-embedder';
import { createConnectionPool } from '@calls/providers/http/connection-pool';
import { readRerankConfig } from '@calls/providers/rerank/rerank-config';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import OpenAI from 'openai';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';
import { CorpusClient } from '../../support/corpora/corpus-client.ts';
import { dispatcherConfig } from '../../support/dispatcher-config.ts';
import { eventually } from '../../support/eventually.ts';

const API_KEY = 'embedding-key';
const AMPLE_MS = 60_000;
/** Time limit for servers that do not respond. */
const SOON_MS = 600;
let dispatcher: Dispatcher | undefined;

const environment = (model = 'first-model'): Record<string, string> => ({
  EMBEDDING_BASE_URL: standIn.baseUrl,
  EMBEDDING_MODEL: model,
  EMBEDDING_API_KEY: API_KEY,
  EMBEDDING_BATCH_SIZE: '4',
});
/** Leaves time for queries on a busy machine. */
const configOf = (model?: string, more: Record<string, string> = {}): EmbeddingConfig => ({
  ...readEmbeddingConfig(new EnvReader({ ...environment(model), ...more }))!,
  queryTimeoutMs: AMPLE_MS,
});

const standIn = await startAiStandIn({ apiKey: API_KEY });
await standIn.control({ embeddings: { synonyms: [['car', 'automobile', 'vehicle']] } });
const harness = await ControlPlaneHarness.start({ embeddings: configOf() });
const account = await harness.account();
await startDispatcher();
afterAll(async () => {
  await stopDispatcher();
  await harness.stop();
  await standIn[Symbol.asyncDispose]();
});

async function startDispatcher(embeddings: EmbeddingConfig = configOf()): Promise<void> {
  dispatcher = await createDispatcher(dispatcherConfig(harness, { embeddings }), silentLogger);
}

async function stopDispatcher(): Promise<void> {
  await dispatcher?.[Symbol.asyncDispose]();
  dispatcher = undefined;
}

const TEXTS = [
  '# Parking\n\nEach guest may park one car behind the house.',
  '# Breakfast\n\nBreakfast is served from seven to ten in the winter garden.',
  '# Pets\n\nDogs are welcome in all rooms. Please tell us before you arrive.',
  '# Sauna\n\nThe sauna is heated every evening. Towels are at the desk.',
  '# Checkout\n\nPlease leave your room before eleven. Luggage may stay longer.',
  '# Bicycles\n\nBicycles can be hired at the desk, for a day or for a week.',
];

async function corpusOf(texts: readonly string[], fields: Partial<Corpus> = {}): Promise<CorpusClient> {
  const corpus = await CorpusClient.create(account, fields);
  const documentIds: string[] = [];
  for (const text of texts) documentIds.push(await corpus.upload(text, 'text/markdown'));
  const { body: source } = await corpus.addSource({ upload: { documentIds } });
  await corpus.ready(source);
  return corpus;
}

function embedded(corpus: CorpusClient): Promise<Corpus['stats']> {
  return eventually(async () => {
    const { stats } = await corpus.show();
    expect(stats.numVectors).toBe(stats.numChunks);
    return stats;
  });
}

const titles = (results: readonly CorpusQueryResult[]): (string | undefined)[] =>
  results.map(({ citation }) => citation.title);

async function ofReplica<T>(replica: string, path: string, init: RequestInit = {}): Promise<T> {
  const headers = { 'X-API-Key': account.key, 'Content-Type': 'application/json' };
  const response = await fetch(`${replica}${path}`, { ...init, headers });
  return (await response.json()) as T;
}

function queryReplica(replica: string, corpus: CorpusClient, query: string): Promise<CorpusQueryResult[]> {
  return ofReplica(replica, `${corpus.path}/query`, { method: 'POST', body: JSON.stringify({ query }) });
}

/** Simulates that the pause after a failure has passed. */
async function retryNow(corpus: CorpusClient): Promise<void> {
  await harness.store.db
    .updateTable('corpora')
    .set({ embedding_due_at: new Date(0) })
    .where('corpus_id', '=', corpus.corpusId)
    .execute();
}

describe('hybrid retrieval', () => {
  it('finds passages by keywords and by meaning, with their sources', async () => {
    const corpus = await corpusOf(TEXTS);
    expect(await embedded(corpus)).toMatchObject({
      numChunks: 6,
      numVectors: 6,
      retrieval: 'CORPUS_RETRIEVAL_HYBRID',
      // The database of tests has no pgvector.
      vectorSearch: 'CORPUS_VECTOR_SEARCH_EXACT',
    });
    const [byMeaning] = await corpus.query('automobile');
    expect(byMeaning).toMatchObject({
      content: 'Parking\n\nEach guest may park one car behind the house.',
      citation: { title: 'Parking', documentId: expect.any(String) },
    });
    expect(byMeaning!.score).toBeCloseTo(0.5);
    const [byBoth] = await corpus.query('breakfast in winter');
    expect(byBoth).toMatchObject({ citation: { title: 'Breakfast' }, score: 1 });
    const without = await corpus.query('automobile -guest');
    expect(without.length).toBeGreaterThan(0);
    expect(titles(without)).not.toContain('Parking');
    expect(await corpus.query('vehicle', 2)).toHaveLength(2);
    const { counts, recent } = await standIn.requests();
    expect(counts.embeddings).toBeGreaterThan(4);
    // Two batches of passages.
    expect(recent.filter(({ asked }) => Number(asked['texts']) > 4)).toEqual([]);
  });

  it('reflects documents that are added, replaced and deleted', async () => {
    const corpus = await corpusOf(TEXTS.slice(1, 3));
    await embedded(corpus);
    expect(titles(await corpus.query('automobile'))).not.toContain('Parking');
    const documentIds = [await corpus.upload(TEXTS[0]!, 'text/markdown')];
    const { body: source } = await corpus.addSource({ upload: { documentIds } });
    await corpus.ready(source);
    await embedded(corpus);
    expect(titles(await corpus.query('automobile'))[0]).toBe('Parking');
    expect((await account.send('DELETE', corpus.sourcePath(source))).status).toBe(204);
    expect(titles(await corpus.query('automobile'))).not.toContain('Parking');
    expect(await embedded(corpus)).toMatchObject({ numChunks: 2 });
  });

  it('does not embed a full-text corpus until it is changed to hybrid retrieval', async () => {
    const corpus = await corpusOf(TEXTS, { retrieval: 'CORPUS_RETRIEVAL_FULL_TEXT' });
    expect(await corpus.show()).toMatchObject({
      retrieval: 'CORPUS_RETRIEVAL_FULL_TEXT',
      stats: { numVectors: 0, retrieval: 'CORPUS_RETRIEVAL_FULL_TEXT' },
    });
    expect(await corpus.query('automobile')).toEqual([]);
    const change = { retrieval: 'CORPUS_RETRIEVAL_HYBRID' };
    expect((await account.send('PATCH', corpus.path, change)).status).toBe(200);
    await embedded(corpus);
    expect(titles(await corpus.query('automobile'))[0]).toBe('Parking');
  });

  it.each(['error', 'garbage', 'empty', 'cut', 'stall'] as const)(
    'falls back to full-text search when the embedding endpoint fails: %s',
    async (behaviour) => {
      const corpus = await corpusOf(TEXTS.slice(0, 2));
      await embedded(corpus);
      const embeddings = { ...configOf(), queryTimeoutMs: SOON_MS };
      const replica = await harness.addReplica({}, { embeddings });
      await standIn.control({ embeddings: { behaviour } });
      try {
        expect(titles(await queryReplica(replica, corpus, 'car'))).toEqual(['Parking']);
        expect(await queryReplica(replica, corpus, 'automobile')).toEqual([]);
      } finally {
        await standIn.control({ embeddings: { behaviour: 'ok' } });
      }
      expect(titles(await corpus.query('automobile'))[0]).toBe('Parking');
    },
  );

  it('reports why passages could not be embedded, and retries', async () => {
    await standIn.control({ embeddings: { behaviour: 'error', errorStatus: 503 } });
    const corpus = await corpusOf(TEXTS);
    const stats = await eventually(async () => {
      const shown = (await corpus.show()).stats;
      expect(shown).toHaveProperty('embeddingError');
      return shown;
    });
    expect(stats).toMatchObject({
      numVectors: 0,
      retrieval: 'CORPUS_RETRIEVAL_FULL_TEXT',
      embeddingError: 'the embedding endpoint refused the request',
    });
    expect(titles(await corpus.query('car'))).toEqual(['Parking']);
    await standIn.control({ embeddings: { behaviour: 'ok' } });
    await retryNow(corpus);
    await embedded(corpus);
    // The state of the corpus follows its vectors.
    await eventually(async () => expect((await corpus.show()).stats).not.toHaveProperty('embeddingError'));
  });

  it('embeds all passages again when the model changes', async () => {
    const corpus = await corpusOf(TEXTS);
    await embedded(corpus);
    await stopDispatcher();
    const replica = await harness.addReplica({}, { embeddings: configOf('second-model') });
    const ask = (): Promise<CorpusQueryResult[]> => queryReplica(replica, corpus, 'automobile');
    expect((await ofReplica<Corpus>(replica, corpus.path)).stats).toMatchObject({
      numVectors: 0,
      retrieval: 'CORPUS_RETRIEVAL_FULL_TEXT',
    });
    expect(await ask()).toEqual([]);
    await startDispatcher(configOf('second-model'));
    await eventually(async () =>
      expect((await ofReplica<Corpus>(replica, corpus.path)).stats.numVectors).toBe(TEXTS.length),
    );
    expect(titles(await ask())[0]).toBe('Parking');
    expect((await corpus.show()).stats.numVectors).toBe(0);
    await stopDispatcher();
    await startDispatcher();
  });
});

describe('prefixes of an embedding model', () => {
  it('are added to queries and passages, and require separate vectors', async () => {
    const corpus = await corpusOf(TEXTS.slice(0, 1));
    await embedded(corpus);
    await stopDispatcher();
    const prefixes = { EMBEDDING_QUERY_PREFIX: 'query: ', EMBEDDING_PASSAGE_PREFIX: 'passage: ' };
    const embeddings = configOf(undefined, prefixes);
    const replica = await harness.addReplica({}, { embeddings });
    const shown = (): Promise<Corpus> => ofReplica(replica, corpus.path);
    expect((await shown()).stats.numVectors).toBe(0);
    await standIn.control({ forgetRequests: true });
    await startDispatcher(embeddings);
    await eventually(async () => expect((await shown()).stats.numVectors).toBe(1));
    expect(titles(await queryReplica(replica, corpus, 'automobile'))).toEqual(['Parking']);
    const sent = (await standIn.requests()).recent.map(({ asked }) => asked['first']);
    expect(sent).toContainEqual(expect.stringMatching(/^passage: Parking/u));
    expect(sent).toContain('query: automobile');
    await stopDispatcher();
    await startDispatcher();
  });
});

describe('a reranker', () => {
  // The search ranks the first one higher, the stand-in of the reranker the second one.
  const LINEN = ['# Cellar\n\nsauna desk towels', '# Linen\n\nThe sauna towels are blue.'];
  const QUERY = 'sauna towels desk';
  const BY_SEARCH = ['Cellar', 'Linen'];
  let corpus: CorpusClient;
  let replica: string;
  /** Does not wait for a reranker that does not respond. */
  let hasty: string;

  beforeAll(async () => {
    corpus = await corpusOf(LINEN);
    await embedded(corpus);
    const env = { RERANK_BASE_URL: standIn.baseUrl, RERANK_MODEL: 'reranker', RERANK_API_KEY: API_KEY };
    const replicaOf = (timeoutMs: number): Promise<string> =>
      harness.addReplica({}, { rerank: { ...readRerankConfig(new EnvReader(env))!, timeoutMs } });
    replica = await replicaOf(AMPLE_MS);
    hasty = await replicaOf(SOON_MS);
  });

  it('determines the order and the scores of passages', async () => {
    expect(titles(await corpus.query(QUERY))).toEqual(BY_SEARCH);
    const reranked = await queryReplica(replica, corpus, QUERY);
    expect(reranked.map(({ citation, score }) => [citation.title, score])).toEqual([
      ['Linen', 0.5],
      ['Cellar', 0],
    ]);
    const [asked] = (await standIn.requests()).recent.filter(({ role }) => role === 'rerank');
    expect(asked?.asked).toEqual({ model: 'reranker', query: QUERY, documents: 2 });
  });

  it('normalizes scores to 0 to 1 when the server returns logits', async () => {
    await standIn.control({ rerank: { logits: true } });
    try {
      const [first, second] = await queryReplica(replica, corpus, QUERY);
      expect([first?.citation.title, first?.score]).toEqual(['Linen', 0.5]);
      expect(second?.score).toBeCloseTo(1 / (1 + Math.exp(4)));
    } finally {
      await standIn.control({ rerank: { logits: false } });
    }
  });

  it.each(['error', 'garbage', 'empty', 'cut', 'stall', 'never'] as const)(
    'leaves passages in search order when it fails: %s',
    async (behaviour) => {
      await standIn.control({ rerank: { behaviour } });
      try {
        expect(titles(await queryReplica(hasty, corpus, QUERY))).toEqual(BY_SEARCH);
      } finally {
        await standIn.control({ rerank: { behaviour: 'ok' } });
      }
    },
  );

  it('is not requested for a single passage', async () => {
    await standIn.control({ forgetRequests: true });
    const single = await corpusOf(LINEN.slice(0, 1));
    expect(titles(await queryReplica(replica, single, QUERY))).toEqual(['Cellar']);
    expect((await standIn.requests()).counts.rerank).toBe(0);
  });
});

describe('the embedding endpoint', () => {
  it('is compatible with the official OpenAI client', async () => {
    const client = new OpenAI({ baseURL: standIn.baseUrl, apiKey: API_KEY, maxRetries: 0 });
    const input = ['a car', 'an automobile'];
    // The client asks for base64 and decodes it.
    const { data, usage } = await client.embeddings.create({ model: 'first-model', input, dimensions: 64 });
    expect(usage.total_tokens).toBe(4);
    await using pool = createConnectionPool();
    const embedder = createOpenAiCompatibleEmbedder({
      config: { ...configOf(), dimensions: 64, timeoutMs: 50_000 },
      texts: 'passages',
      pool,
      clock: systemClock,
    });
    expect(embedder.model).toBe('first-model@64');
    const vectors = await embedder.embed(input, new AbortController().signal);
    for (const [index, vector] of vectors.entries()) {
      expect(vector).toHaveLength(64);
      for (const [i, number] of vector.entries()) expect(number).toBeCloseTo(data[index]!.embedding[i]!, 5);
    }
    const stranger = new OpenAI({ baseURL: standIn.baseUrl, apiKey: 'other', maxRetries: 0 });
    await expect(stranger.embeddings.create({ model: 'm', input })).rejects.toThrow('Incorrect API key');
    await expect(client.embeddings.create({ model: 'm', input: [' '] })).rejects.toThrow('empty string');
  });
});
