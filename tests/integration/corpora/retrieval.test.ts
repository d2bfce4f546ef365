import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CorpusQueryResult } from '@calls/api-contract/rest/corpus';
import { retrievePassages } from '@calls/corpora/retrieval/retrieve-passages';
import { systemClock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import type { Database } from '@calls/store/store';
import { insertAccount } from '@calls/store/tables/accounts';
import { searchCorpus } from '@calls/store/tables/corpus-search';
import { requireQuick } from '@calls/testkit/long-form';
import { sql } from 'kysely';
import {
  FilledCorpus,
  corpusOf as makeCorpus,
  type MarkdownDocument,
} from '../../support/corpora/corpus-of.ts';
import { ScratchServers } from '../../support/scratch-servers.ts';
import { openTestStore } from '../../support/test-store.ts';

const accountId = newId();

const servers = await ScratchServers.open();
const postgres = await servers.database();
const store = openTestStore(postgres.url, { poolSize: 4 });
const account = { accountId, name: 'test', plan: 'SCALE', features: [], createdAt: new Date() } as const;
await insertAccount(store.db, { ...account, features: [] });
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await servers.close();
});

const corpusOf = (...documents: MarkdownDocument[]): Promise<string> =>
  makeCorpus(store.db, accountId, ...documents);

function ask(corpusId: string, query: string, maxResults = 5): Promise<CorpusQueryResult[]> {
  const deps = { db: store.db, embeddings: null, reranker: null, clock: systemClock, log: silentLogger };
  return retrievePassages(deps, { corpusId, retrieval: 'hybrid', query, maxResults });
}

const titles = (results: CorpusQueryResult[]): (string | undefined)[] =>
  results.map(({ citation }) => citation.title);

const HANDBOOK = [
  '# Returns\n\nCustomers may return a lamp within thirty days. Refunds are paid to the card that was used.',
  '# Opening hours\n\nThe shop opens at nine and closes at six. On Sundays it is closed.',
  '# Repairs\n\nA broken lamp is repaired in the workshop, which takes about two weeks for customers.',
  '# Jobs\n\nWe look for a carpenter who likes to work with oak and beech.',
];

describe('corpus retrieval', () => {
  let handbook: string;
  beforeAll(async () => {
    handbook = await corpusOf(...HANDBOOK);
  });

  it('ranks passages with all query words first, in any inflection', async () => {
    const results = await ask(handbook, 'returning lamps');
    expect(titles(results)).toEqual(['Returns', 'Repairs']);
    expect(results[0]).toMatchObject({
      content:
        'Returns\n\nCustomers may return a lamp within thirty days. Refunds are paid to the card that was used.',
      citation: { title: 'Returns' },
    });
    expect(results[0]!.score).toBeGreaterThan(0.5);
    expect(results[1]!.score).toBeLessThan(0.5);
  });

  it('finds passages that contain only some words of the query', async () => {
    const results = await ask(handbook, 'When does your shop open tomorrow morning, please?');
    expect(titles(results)[0]).toBe('Opening hours');
    expect(results[0]!.score).toBeLessThan(0.5);
  });

  it('gives rare words more weight than frequent ones', async () => {
    const corpus = await corpusOf(
      ...Array.from({ length: 6 }, (_, i) => `# Lamp ${i}\n\nA lamp and another lamp of series ${i}.`),
      '# Chair\n\nA chair of walnut.',
    );
    expect(titles(await ask(corpus, 'lamp of walnut'))[0]).toBe('Chair');
  });

  it('prefers words in headings', async () => {
    const corpus = await corpusOf(
      '# Delivery\n\nWe bring it to your door by truck.',
      '# Payment\n\nPay with delivery by truck or before.',
    );
    expect(titles(await ask(corpus, 'delivery truck'))[0]).toBe('Delivery');
  });

  it('supports quoted phrases and words excluded with a hyphen', async () => {
    expect(titles(await ask(handbook, '"two weeks"'))[0]).toBe('Repairs');
    expect(titles(await ask(handbook, 'lamp -workshop'))).toEqual(['Returns']);
    expect(titles(await ask(handbook, 'lamp -"thirty days"'))).toEqual(['Repairs']);
  });

  it('returns the requested number of passages, best first', async () => {
    const results = await ask(handbook, 'lamp customers shop carpenter', 3);
    expect(results).toHaveLength(3);
    const scores = results.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it('finds documents by their example queries', async () => {
    const corpus = await corpusOf(
      { text: 'Page seven describes the procedure.', exampleQueries: ['How do I reset my password?'] },
      'This document contains nothing of interest.',
    );
    expect(titles(await ask(corpus, 'reset password'))).toEqual(['0.md']);
  });

  it('stems words by the rules of their language', async () => {
    const corpus = await corpusOf(
      'Die Häuser in unserer Straße wurden vor vielen Jahren von einem Zimmermann gebaut.',
      'Les chevaux de la ferme mangent beaucoup de foin pendant les longs mois de l’hiver.',
      '図書館は午前九時に開きます。毎週月曜日は休みです。本の貸し出しは二週間までです。',
    );
    expect(titles(await ask(corpus, 'Haus'))).toEqual(['0.md']);
    expect(titles(await ask(corpus, 'cheval'))).toEqual(['1.md']);
    expect(titles(await ask(corpus, '図書館'))).toEqual(['2.md']);
  });

  it('searches only one corpus and finds nothing for an empty query', async () => {
    const other = await corpusOf('# Foreign\n\nA lamp of another corpus.');
    expect(titles(await ask(other, 'lamp'))).toEqual(['Foreign']);
    for (const nothing of ['the of and', '   ', '"" - -', '-lamp', 'zzzunknown']) {
      expect([nothing, await ask(handbook, nothing)]).toEqual([nothing, []]);
    }
    expect(await ask(newId(), 'lamp')).toEqual([]);
  });

  it('accepts any text as a query', async () => {
    const tokens = fc.constantFrom(
      ...['lamp', '"', "'", '\\', '-', ':*', '&', '|', '!', '(', ')', '<->', 'or', "it's", '\u0000', '图书'],
      ...[
        '\ud800',
        'a\\',
        "''",
        '$1',
        '%',
        '--',
        'http://a.b/c?d',
        'x'.repeat(3000),
        '💡',
        'é\u0301',
        '\t\n',
      ],
    );
    const queries = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.array(tokens, { maxLength: 12 }).map((parts) => parts.join(' ')),
      fc.array(tokens, { maxLength: 8 }).map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        for (const { score } of await ask(handbook, query)) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('is fast in a corpus of many passages', async () => {
    const words = 'lamp chair table shop return repair oak beech price order'.split(' ');
    const text = Array.from(
      { length: 3000 },
      (_, i) => `## Item ${i}\n\nThe ${words[i % 10]} number ${i} is a ${words[(i * 7) % 10]}.`,
    ).join('\n\n');
    const corpus = await corpusOf(text, '# Needle\n\nThe archipelago shop has lamps.');
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const startMs = performance.now();
      const results = await ask(corpus, 'does the shop in the archipelago return my lamp');
      expect(titles(results)[0]).toBe('Needle');
      times.push(performance.now() - startMs);
    }
    requireQuick(Math.min(...times), 2000);
  });
});

describe('corpus retrieval among 100,000 passages', () => {
  const PASSAGES = 100_000;
  const PER_DOCUMENT = 2000;
  /** Words that every second, third and fourth passage has. */
  const FREQUENT = ['lamp', 'chair', 'table'];
  let corpus: FilledCorpus;

  const passage = (content: string) => ({ heading: '', content, searchHeading: '', searchContent: content });
  const document = (textConfig: string, contents: readonly string[]) => ({
    ...{ title: null, language: null, description: null, publishedAt: null, textConfig },
    chunks: contents.map(passage),
  });
  const search = (wanted: string) =>
    searchCorpus(store.db, { corpusId: corpus.corpusId, wanted, unwanted: '', limit: 20 });

  /** Grows within a transaction. */
  async function passagesRead(tx: Database): Promise<number> {
    const { rows } = await sql<{ passages: number }>`
      select seq_tup_read + idx_tup_fetch as passages from pg_stat_xact_user_tables
      where relname = 'corpus_chunks'`.execute(tx);
    return rows[0]?.passages ?? 0;
  }

  beforeAll(async () => {
    corpus = await FilledCorpus.create(store.db, accountId);
    for (let start = 0; start < PASSAGES; start += PER_DOCUMENT) {
      const contents = Array.from({ length: PER_DOCUMENT }, (_, i) => {
        const words = FREQUENT.filter((_word, w) => (start + i) % (w + 2) === 0);
        return `Number${start + i} ${words.join(' ')}`;
      });
      await corpus.add(`${start}.txt`, document('english', contents));
    }
    await corpus.add('rare.txt', document('english', ['walnut', 'walnut lamp chair table', 'walnut lamp']));
    await corpus.add('simple.txt', document('simple', ['lamps of walnut', 'nothing']));
  });

  it('reads a bounded number of passages regardless of word frequency', async () => {
    for (const wanted of ['lamp chair table', 'lamp', 'walnut lamp chair table', '"lamp chair"']) {
      const read = await store.db.transaction().execute(async (tx) => {
        const before = await passagesRead(tx);
        const found = await searchCorpus(tx, { corpusId: corpus.corpusId, wanted, unwanted: '', limit: 20 });
        expect(found).toHaveLength(wanted.startsWith('walnut') ? 4 : 20);
        return (await passagesRead(tx)) - before;
      });
      expect(read).toBeGreaterThan(0);
      expect(read).toBeLessThan(PASSAGES / 10);
    }
  });

  it('includes frequent words in the score of passages that were found by rare words', async () => {
    const contents = (await search('walnut lamp chair table')).map(({ content }) => content);
    expect(contents[0]).toBe('walnut lamp chair table');
    expect(contents[1]).toBe('walnut lamp');
    expect([...contents].sort()).toEqual([
      'lamps of walnut',
      'walnut',
      'walnut lamp',
      'walnut lamp chair table',
    ]);
  });

  it('finds passages with all query words when every word is frequent', async () => {
    for (const { content } of await search('lamp chair table')) expect(content).toMatch(/lamp chair table$/u);
  });

  it('finds words by the stemming rules of a language with few passages', async () => {
    const contents = (await search('lamps walnut')).map(({ content }) => content);
    expect(contents).toContain('lamps of walnut');
  });
});
