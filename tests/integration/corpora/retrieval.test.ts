import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CorpusQueryResult } from '@calls/api-contract/rest/corpus';
import { retrievePassages } from '@calls/corpora/retrieval/retrieve-passages';
import { systemClock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { openStore, type Store } from '@calls/store/store';
import { insertAccount } from '@calls/store/tables/accounts';
import { requireQuick } from '@calls/testkit/long-form';
import { corpusOf as makeCorpus, type MarkdownDocument } from '../../support/corpora/corpus-of.ts';
import { ScratchServers } from '../../support/scratch-servers.ts';

let servers: ScratchServers;
let store: Store;
const accountId = newId();

beforeAll(async () => {
  servers = await ScratchServers.open();
  const postgres = await servers.database();
  store = openStore({ url: postgres.url, name: 'test', poolSize: 4, log: silentLogger });
  const account = { accountId, name: 'test', plan: 'SCALE', features: [], createdAt: new Date() } as const;
  await insertAccount(store.db, { ...account, features: [] });
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await servers.close();
});

const corpusOf = (...documents: MarkdownDocument[]): Promise<string> =>
  makeCorpus(store.db, accountId, ...documents);

function ask(corpusId: string, query: string, maxResults = 5): Promise<CorpusQueryResult[]> {
  const deps = { db: store.db, embeddings: null, clock: systemClock, log: silentLogger };
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

  it('ranks passages with every word first, in any inflection', async () => {
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

  it('weighs rare words above frequent ones', async () => {
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
