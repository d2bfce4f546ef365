import { parseArgs } from 'node:util';
import { readDocument } from '@calls/corpora/extraction/read-document';
import { retrievePassages, type RetrievalDeps } from '@calls/corpora/retrieval/retrieve-passages';
import { VectorThread } from '@calls/corpora/vectors/vector-thread';
import { embedPassages } from '@calls/dispatcher/corpora/embed-passages';
import type { TextEmbedder } from '@calls/engine-ports/text-embedder';
import { DEFAULT_QUERY_LIMIT_MS } from '@calls/foundation/shared-variables';
import { systemClock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { createOpenAiCompatibleEmbedder } from '@calls/providers/embeddings/openai-compatible-embedder';
import { createConnectionPool } from '@calls/providers/http/connection-pool';
import { migrate } from '@calls/store/migrate';
import { openStore, type Database } from '@calls/store/store';
import { insertAccount } from '@calls/store/tables/accounts';
import type { DocumentText } from '@calls/store/tables/corpus-loading';
import { passagesOfVectors } from '@calls/store/tables/corpus-search';
import { requestEmbedding } from '@calls/store/tables/corpus-vectors';
import { startAiStandIn } from '@calls/testkit/ai-stand-in/start-ai-stand-in';
import { FilledCorpus } from '../../support/corpora/corpus-of.ts';
import { ScratchServers } from '../../support/scratch-servers.ts';
import { distributionOf, type Distribution } from '../distribution.ts';
import { wholeNumber } from '../../support/command-options.ts';
import { readPerlFaq, type QuestionSet } from './perl-faq.ts';
import { queryInCalls } from './query-in-calls.ts';
import { rankingQuality, rankOf, type RankingQuality } from './ranking-quality.ts';

export interface KnowledgeOptions {
  /** Folder in which Debian's perl-doc is unpacked. */
  folder: string;
  /** Number of passages of the corpus in which queries are timed. */
  passages: number;
  /** A server with OpenAI's `/embeddings` endpoint; null for the simulated one. */
  endpoint: string | null;
  model: string;
  apiKey: string | null;
  /** See EmbeddingConfig. */
  queryPrefix: string;
  passagePrefix: string;
  jsonPath: string | null;
}

type Method = 'full text' | 'embeddings' | 'hybrid';

export interface KnowledgeReport {
  model: string;
  questions: number;
  /** Number of passages of the corpus with the answers. */
  passages: number;
  quality: Record<Method, RankingQuality>;
  /** Durations of queries in the corpus with `timedPassages`. */
  latencyMs: Record<Method, Distribution>;
  timedPassages: number;
  /** Durations of the same hybrid queries by the tool `queryCorpus` in calls. */
  inCallsMs: Distribution;
  /** Duration of the first query, which reads all vectors. */
  firstQueryMs: number;
  /** Passages embedded and stored per second. */
  embeddedPerSecond: number;
}

const ACCOUNT = { name: 'bench', plan: 'SCALE', features: [] as never[] } as const;
const RESULTS = 20;
const TIMED_QUERIES = 200;
const STORE_LIMIT_MS = 120_000;
const CHUNKS_PER_DOCUMENT = 1000;
const CACHE_BYTES = 2 ** 30;
const REQUEST_LIMIT_MS = 60_000;

export function readKnowledgeOptions(args: readonly string[]): KnowledgeOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      folder: { type: 'string', default: '/' },
      passages: { type: 'string', default: '100000' },
      endpoint: { type: 'string' },
      model: { type: 'string', default: 'stand-in' },
      'api-key': { type: 'string' },
      'query-prefix': { type: 'string', default: '' },
      'passage-prefix': { type: 'string', default: '' },
      json: { type: 'string' },
    },
  });
  return {
    folder: values.folder,
    passages: wholeNumber('passages', values.passages, 1000, 1_000_000),
    endpoint: values.endpoint ?? null,
    model: values.model,
    apiKey: values['api-key'] ?? null,
    queryPrefix: values['query-prefix'],
    passagePrefix: values['passage-prefix'],
    jsonPath: values.json ?? null,
  };
}

/** Measures how well corpora find the answers of the Perl FAQ, and how long queries take in a large corpus. */
export async function runKnowledge(
  options: KnowledgeOptions,
  say: (line: string) => void,
): Promise<KnowledgeReport> {
  const set = await readPerlFaq(options.folder);
  const servers = await ScratchServers.open();
  try {
    const { url } = await servers.postgres();
    await using store = openStore({
      ...{ url, name: 'bench', poolSize: 4, log: silentLogger },
      queryLimitMs: STORE_LIMIT_MS,
    });
    await using standIn = options.endpoint === null ? await startAiStandIn() : null;
    await using pool = createConnectionPool();
    const { model, apiKey, queryPrefix, passagePrefix } = options;
    const baseUrl = options.endpoint ?? standIn?.baseUrl ?? '';
    const config = {
      ...{ baseUrl, apiKey, model, dimensions: null, batchSize: 64 },
      ...{ timeoutMs: REQUEST_LIMIT_MS, queryTimeoutMs: REQUEST_LIMIT_MS, queryPrefix, passagePrefix },
    };
    const embedder = (texts: 'queries' | 'passages'): TextEmbedder =>
      createOpenAiCompatibleEmbedder({ config, texts, pool, clock: systemClock });
    const env = {
      EMBEDDING_BASE_URL: baseUrl,
      EMBEDDING_MODEL: model,
      EMBEDDING_QUERY_PREFIX: queryPrefix,
      ...(apiKey !== null && { EMBEDDING_API_KEY: apiKey }),
    };
    await migrate(store.db);
    const threadData = { databaseUrl: url, queryLimitMs: DEFAULT_QUERY_LIMIT_MS, maxBytes: CACHE_BYTES };
    await using vectors = await VectorThread.start(threadData, { log: silentLogger, clock: systemClock });
    const bench = new Bench(
      {
        ...{ db: store.db, embeddings: { embedder: embedder('queries'), vectors }, reranker: null },
        ...{ clock: systemClock, log: silentLogger },
      },
      embedder('passages'),
      (corpus, questions) => queryInCalls({ ...corpus, databaseUrl: url, env }, questions),
    );
    return await bench.run(set, options.passages, say);
  } finally {
    await servers.close();
  }
}

type QueryInCalls = (
  corpus: { corpusId: string; giveTo: (accountId: string) => Promise<unknown> },
  questions: readonly string[],
) => Promise<Distribution>;

class Bench {
  readonly #deps: RetrievalDeps & { embeddings: NonNullable<RetrievalDeps['embeddings']> };
  readonly #embedder: TextEmbedder;
  readonly #db: Database;
  readonly #queryInCalls: QueryInCalls;
  #embedded = 0;
  #embeddedInMs = 0;

  constructor(
    deps: RetrievalDeps & { embeddings: NonNullable<RetrievalDeps['embeddings']> },
    embedder: TextEmbedder,
    queryInCalls: QueryInCalls,
  ) {
    this.#deps = deps;
    this.#embedder = embedder;
    this.#db = deps.db;
    this.#queryInCalls = queryInCalls;
  }

  async run(set: QuestionSet, timedPassages: number, say: (line: string) => void): Promise<KnowledgeReport> {
    const accountId = newId();
    await insertAccount(this.#db, { ...ACCOUNT, accountId, createdAt: new Date() });
    say(`loading ${set.questions.length} answers and ${set.others.length} other documents`);
    const corpus = await FilledCorpus.create(this.#db, accountId);
    const texts: DocumentText[] = [];
    const add = async (markdown: string, name: string): Promise<string> => {
      const bytes = Buffer.from(markdown);
      const text = await readDocument({ mimeType: 'text/markdown', charset: 'utf-8', url: null, bytes });
      texts.push(text);
      return corpus.add(name, text);
    };
    const answers: { question: string; documentId: string }[] = [];
    for (const [i, { text: question, answer }] of set.questions.entries())
      answers.push({ question, documentId: await add(answer, `answer ${i}`) });
    for (const [i, other] of set.others.entries()) await add(other, `other ${i}`);
    const chunks = texts.flatMap((text) => text.chunks);
    say(`embedding ${chunks.length} passages`);
    await this.#embed(corpus.corpusId, chunks.length);
    const quality = await this.#each(async (method) => {
      const ranks: (number | null)[] = [];
      for (const { question, documentId } of answers)
        ranks.push(rankOf(await this.#ask(method, corpus.corpusId, question), documentId));
      return rankingQuality(ranks);
    });
    say(`loading and embedding ${timedPassages} passages`);
    const large = await FilledCorpus.create(this.#db, accountId);
    for (let start = 0; start < timedPassages; start += CHUNKS_PER_DOCUMENT) {
      const count = Math.min(CHUNKS_PER_DOCUMENT, timedPassages - start);
      await large.add(`part ${start}`, mixed(chunks, start, count));
    }
    await this.#embed(large.corpusId, timedPassages);
    const firstAtMs = performance.now();
    // Reads all vectors, even if that exceeds the time limit of a query.
    await this.#ask('embeddings', large.corpusId, answers[0]?.question ?? '');
    const firstQueryMs = Math.round(performance.now() - firstAtMs);
    const timed = Array.from(
      { length: TIMED_QUERIES },
      (_, i) => answers[i % answers.length]?.question ?? '',
    );
    const latencyMs = await this.#each(async (method) => {
      const times: number[] = [];
      for (const text of timed) {
        const startMs = performance.now();
        await this.#ask(method, large.corpusId, text, 5);
        times.push(performance.now() - startMs);
      }
      return distributionOf(times);
    });
    say('asking in calls');
    const inCallsMs = await this.#queryInCalls(
      {
        corpusId: large.corpusId,
        giveTo: (owner) =>
          this.#db
            .updateTable('corpora')
            .set({ account_id: owner })
            .where('corpus_id', '=', large.corpusId)
            .execute(),
      },
      timed,
    );
    const embeddedPerSecond = Math.round(this.#embedded / (this.#embeddedInMs / 1000));
    return {
      ...{ model: this.#embedder.model, questions: answers.length, passages: chunks.length },
      ...{ quality, latencyMs, timedPassages, inCallsMs, firstQueryMs, embeddedPerSecond },
    };
  }

  async #embed(corpusId: string, count: number): Promise<void> {
    const startMs = performance.now();
    await requestEmbedding(this.#db, corpusId);
    const deps = { db: this.#db, embedder: this.#embedder, clock: systemClock, log: silentLogger };
    await embedPassages(deps, new AbortController().signal);
    const corpora = await this.#db.selectFrom('corpora').select('embedding_error').execute();
    const failed = corpora.find(({ embedding_error: error }) => error !== null);
    if (failed) throw new Error(`failed to embed passages: ${failed.embedding_error ?? ''}`);
    this.#embedded += count;
    this.#embeddedInMs += performance.now() - startMs;
  }

  /** Document ids of the found passages, best first. */
  async #ask(method: Method, corpusId: string, query: string, maxResults = RESULTS): Promise<string[]> {
    if (method !== 'embeddings') {
      const retrieval = method === 'hybrid' ? 'hybrid' : 'full_text';
      const found = await retrievePassages(this.#deps, { corpusId, retrieval, query, maxResults });
      return found.map(({ citation }) => citation.documentId);
    }
    const { vectors } = this.#deps.embeddings;
    const { signal } = new AbortController();
    const { embedder } = this.#deps.embeddings;
    const [vector = new Float32Array(1)] = await embedder.embed([query], signal);
    const { model } = embedder;
    const hits = await vectors.nearest({ corpusId, model, vector, limit: maxResults }, signal);
    const vectorIds = hits.map(({ id }) => id);
    const passages = await passagesOfVectors(this.#db, { corpusId, model, vectorIds, unwanted: '' });
    const documents = new Map(passages.map((passage) => [passage.vector_id, passage.document_id]));
    return vectorIds.flatMap((id) => documents.get(id) ?? []);
  }

  async #each<T>(measure: (method: Method) => Promise<T>): Promise<Record<Method, T>> {
    return {
      'full text': await measure('full text'),
      embeddings: await measure('embeddings'),
      hybrid: await measure('hybrid'),
    };
  }
}

/** Combines halves of two passages, so that all passages differ and word frequencies are those of the originals. */
function mixed(
  chunks: readonly DocumentText['chunks'][number][],
  start: number,
  count: number,
): DocumentText {
  const half = (index: number, isFirst: boolean): string => {
    const words = chunks[index % chunks.length]?.content.split(' ') ?? [];
    const middle = Math.ceil(words.length / 2);
    return (isFirst ? words.slice(0, middle) : words.slice(middle)).join(' ');
  };
  const parts = Array.from({ length: count }, (_, i) => {
    const n = start + i;
    const other = n + 1 + Math.floor(n / chunks.length) * 37;
    const content = `${half(n, true)} ${half(other, false)} ${n}`;
    return { heading: '', content, searchHeading: '', searchContent: content };
  });
  const ofDocument = { title: null, language: 'en', description: null, publishedAt: null };
  return { ...ofDocument, textConfig: 'english', chunks: parts };
}

export function knowledgeTable(report: KnowledgeReport): string {
  const methods = Object.keys(report.quality) as Method[];
  return [
    `${report.questions} questions of the Perl FAQ, ${report.passages} passages, embeddings: ${report.model}`,
    '',
    `| method     | recall@5 | nDCG@10 | p50, ms | p95, ms | (of ${report.timedPassages} passages)`,
    '| ---------- | -------- | ------- | ------- | ------- |',
    ...methods.map((method) => {
      const { recallAt5, ndcgAt10 } = report.quality[method];
      const { p50, p95 } = report.latencyMs[method];
      const cells = [recallAt5.toFixed(3).padEnd(8), ndcgAt10.toFixed(3).padEnd(7)];
      return `| ${method.padEnd(10)} | ${cells.join(' | ')} | ${String(p50).padEnd(7)} | ${String(p95).padEnd(7)} |`;
    }),
    '',
    `queryCorpus in calls (hybrid): p50 ${report.inCallsMs.p50} ms, p95 ${report.inCallsMs.p95} ms`,
    `First query, which reads all vectors: ${report.firstQueryMs} ms. Embedded: ${report.embeddedPerSecond} passages/s`,
  ].join('\n');
}
