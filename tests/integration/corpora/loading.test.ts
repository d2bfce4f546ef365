import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { CorpusDocument, CorpusSource } from '@calls/api-contract/rest/corpus';
import { createDispatcher, type Dispatcher } from '@calls/dispatcher/dispatcher';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { deleteUnusedUploads } from '@calls/store/tables/corpus-documents';
import { orderLostLoading } from '@calls/store/tables/corpus-loading';
import { insertOutbox } from '@calls/store/tables/outbox';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';
import { CorpusClient } from '../../support/corpora/corpus-client.ts';
import { makeDocx, makePdf } from '../../support/corpora/make-documents.ts';
import { htmlPage, TestSite } from '../../support/corpora/test-site.ts';
import { dispatcherConfig, forkDispatcher, killDispatchers } from '../../support/dispatcher-config.ts';
import { eventually } from '../../support/eventually.ts';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
let dispatcher: Dispatcher | undefined;
let site: TestSite | undefined;

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
await startDispatcher();
afterEach(async () => {
  await site?.[Symbol.asyncDispose]();
  site = undefined;
});
afterAll(killDispatchers);
afterAll(async () => {
  await stopDispatcher();
  await harness.stop();
});

async function startDispatcher(): Promise<void> {
  dispatcher = await createDispatcher(dispatcherConfig(harness), silentLogger);
}

async function stopDispatcher(): Promise<void> {
  await dispatcher?.[Symbol.asyncDispose]();
  dispatcher = undefined;
}

async function filesOf(corpus: CorpusClient): Promise<string[]> {
  const names = await readdir(harness.objectDirectory, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && entry.parentPath.includes(corpus.corpusId))
    .map((entry) => entry.name);
}

function orderAgain(sourceId: string, revision: number): Promise<void> {
  const payload = { kind: 'load_corpus_source', sourceId, revision };
  return insertOutbox(harness.store.db, newId(), { topic: 'job', payload });
}

const titles = (documents: readonly CorpusDocument[]): (string | undefined)[] =>
  documents.map(({ metadata }) => metadata.title).sort();

describe('a source of uploaded files', () => {
  it('is read and can be queried', async () => {
    const corpus = await CorpusClient.create(account);
    const documentIds = [
      await corpus.upload('# Returns\n\nLamps may be returned within thirty days.', 'text/markdown'),
      await corpus.upload(makeDocx(['# Repairs', 'A chair is repaired in two weeks.']), DOCX, 'repairs.docx'),
      await corpus.upload(
        makePdf([[{ text: 'The cellar holds old wine.', size: 12 }]]),
        'application/pdf',
        'c.pdf',
      ),
    ];
    const { body: source } = await corpus.addSource({ name: 'Files', upload: { documentIds } });
    const ready = await corpus.ready(source);
    expect(ready.stats).toEqual({
      status: 'SOURCE_STATUS_READY',
      lastUpdated: expect.any(String),
      numDocs: 3,
    });
    expect((await corpus.show()).stats).toMatchObject({
      status: 'CORPUS_STATUS_READY',
      numDocs: 3,
      numChunks: 3,
      numVectors: 0,
      lastUpdated: ready.stats.lastUpdated,
    });
    expect(titles(await corpus.documents(source))).toEqual(['Repairs', 'Returns', 'c.pdf']);
    expect(await corpus.query('return a lamp')).toEqual([
      {
        content: 'Returns\n\nLamps may be returned within thirty days.',
        score: expect.any(Number),
        citation: { sourceId: source.sourceId, documentId: documentIds[0], title: 'Returns' },
      },
    ]);
    expect((await corpus.query('wine in the cellar', 1))[0]?.citation.documentId).toBe(documentIds[2]);
  });

  it('reports unreadable files and loads the others', async () => {
    const corpus = await CorpusClient.create(account);
    const good = await corpus.upload('A good file about whales.');
    const bad = await corpus.upload('no PDF at all', 'application/pdf', 'bad.pdf');
    const { body: source } = await corpus.addSource({ upload: { documentIds: [bad, good] } });
    const { stats } = await corpus.ready(source);
    expect(stats).toMatchObject({ numDocs: 1, lastError: expect.stringContaining('bad.pdf') });
    expect(await corpus.documents(source)).toHaveLength(2);
    expect(await corpus.query('whales')).toHaveLength(1);
  });

  it('is reloaded when it changes and drops removed documents', async () => {
    const corpus = await CorpusClient.create(account);
    const [first, second] = [await corpus.upload('About whales.'), await corpus.upload('About otters.')];
    const { body: source } = await corpus.addSource({ upload: { documentIds: [first] } });
    await corpus.ready(source);
    const changed = await account.send<CorpusSource>('PATCH', corpus.sourcePath(source), {
      upload: { documentIds: [second] },
    });
    expect(changed.body.stats.status).toBe('SOURCE_STATUS_UPDATING');
    expect(await corpus.query('whales')).toEqual([]);
    await corpus.ready(source);
    expect(await corpus.query('otters')).toHaveLength(1);
    expect((await corpus.show()).stats).toMatchObject({ numDocs: 1, numChunks: 1 });
  });

  it('is removed completely when it or its corpus is deleted', async () => {
    const corpus = await CorpusClient.create(account);
    const [first, second] = [await corpus.upload('About whales.'), await corpus.upload('About otters.')];
    const { body: source } = await corpus.addSource({ upload: { documentIds: [first] } });
    const { body: other } = await corpus.addSource({ upload: { documentIds: [second] } });
    await corpus.ready(source);
    await corpus.ready(other);
    expect((await account.send('DELETE', corpus.sourcePath(source))).status).toBe(204);
    expect(await corpus.query('whales')).toEqual([]);
    await eventually(async () => expect(await filesOf(corpus)).toHaveLength(1));
    expect((await account.send('DELETE', corpus.path)).status).toBe(204);
    await eventually(async () => expect(await filesOf(corpus)).toEqual([]));
    const { db } = harness.store;
    for (const table of ['corpus_sources', 'corpus_documents', 'corpus_chunks'] as const) {
      const rows = await db.selectFrom(table).selectAll().where('corpus_id', '=', corpus.corpusId).execute();
      expect([table, rows.length]).toEqual([table, 0]);
    }
  });

  it('is unaffected by duplicate and late jobs', async () => {
    const corpus = await CorpusClient.create(account);
    const documentIds = [await corpus.upload('About whales.')];
    const { body: source } = await corpus.addSource({ upload: { documentIds } });
    await Promise.all([orderAgain(source.sourceId, 1), orderAgain(source.sourceId, 1)]);
    const ready = await corpus.ready(source);
    await orderAgain(source.sourceId, 1);
    await orderAgain(source.sourceId, 7);
    await orderAgain(newId(), 1);
    await eventually(async () => {
      const waiting = await harness.store.db
        .selectFrom('outbox')
        .selectAll()
        .where('topic', '=', 'job')
        .where('attempts', '=', 0)
        .execute();
      expect(waiting).toEqual([]);
    });
    expect(await corpus.source(source)).toEqual(ready);
    expect(await corpus.query('whales')).toHaveLength(1);
  });

  it('is loaded even if its job was lost', async () => {
    const corpus = await CorpusClient.create(account);
    const documentIds = [await corpus.upload('About whales.')];
    await stopDispatcher();
    const { db } = harness.store;
    const { body: source } = await corpus.addSource({ upload: { documentIds } });
    await db.deleteFrom('outbox').where('topic', '=', 'job').execute();
    expect(await orderLostLoading(db, 60_000, 10)).toBe(0);
    // Simulate that ten minutes have passed.
    await db
      .updateTable('corpus_sources')
      .set({ due_at: new Date(Date.now() - 600_000) })
      .where('source_id', '=', source.sourceId)
      .execute();
    await startDispatcher();
    await corpus.ready(source);
  });
});

describe('unused uploads', () => {
  it('are deleted with their files after a day', async () => {
    const corpus = await CorpusClient.create(account);
    await corpus.upload('This is unused.');
    const used = await corpus.upload('This is used.');
    await corpus.addSource({ upload: { documentIds: [used] } });
    const { db } = harness.store;
    expect(await deleteUnusedUploads(db, 24 * 3600_000, 100)).toBe(0);
    await db
      .updateTable('corpus_documents')
      .set({ unassigned_at: new Date(Date.now() - 25 * 3600_000) })
      .where('corpus_id', '=', corpus.corpusId)
      .where('source_id', 'is', null)
      .execute();
    expect(await deleteUnusedUploads(db, 24 * 3600_000, 100)).toBe(1);
    await eventually(async () => expect(await filesOf(corpus)).toHaveLength(1));
  });
});

describe('a crawled source', () => {
  async function crawl(
    pages: Parameters<typeof TestSite.start>[0],
    spec: Record<string, unknown> = {},
    start = '/',
  ): Promise<{ corpus: CorpusClient; source: CorpusSource; site: TestSite; paths: () => Promise<string[]> }> {
    const here = await TestSite.start(pages);
    site = here;
    const corpus = await CorpusClient.create(account);
    const response = await corpus.addSource({ crawl: { startUrls: [here.url(start)], ...spec } });
    expect(response.status).toBe(201);
    const source = await corpus.ready(response.body);
    const paths = async (): Promise<string[]> => {
      const documents = await corpus.documents(source);
      return documents.map(({ metadata }) => metadata.publicUrl!.slice(here.origin.length)).sort();
    };
    return { corpus, source, site: here, paths };
  }

  it('contains each linked page once, even with link cycles', async () => {
    const found = await crawl({
      '/': htmlPage(
        'Home',
        'Welcome to our whale museum.',
        '/a',
        'b?x=1#top',
        'mailto:a@b.c',
        '//other.test/',
      ),
      '/a': htmlPage('A', 'Opening hours are nine to five.', '/', '/a#part', '/b?x=1', '/c.txt', '/d.png'),
      '/b?x=1': htmlPage('B', 'Tickets cost four coins.', '/a'),
      '/c.txt': { type: 'text/plain', body: 'Plain words about krill.' },
      '/d.png': { type: 'image/png', body: Buffer.alloc(100) },
    });
    expect(await found.paths()).toEqual(['/', '/a', '/b?x=1', '/c.txt']);
    expect(found.site.visited.sort()).toEqual(['/', '/a', '/b?x=1', '/c.txt', '/d.png']);
    expect(found.source.stats).not.toHaveProperty('lastError');
    const [best] = await found.corpus.query('what do tickets cost');
    expect(best).toMatchObject({
      content: 'B\n\nTickets cost four coins.',
      citation: { title: 'B', publicUrl: found.site.url('/b?x=1'), sourceId: found.source.sourceId },
    });
    expect([...found.site.userAgents]).toEqual(['svc-crawler/1.0']);
  });

  it('obeys robots.txt and robots meta tags', async () => {
    const found = await crawl({
      '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /private\n' },
      '/': htmlPage('Home', 'Welcome.', '/private/x', '/open', '/hidden', '/fence'),
      '/private/x': htmlPage('Private', 'Secret words.'),
      '/open': htmlPage('Open', 'Open words.'),
      '/hidden': htmlPage('Hidden', 'Hidden words.', '/beyond').replace(
        '<head>',
        '<head><meta name="robots" content="noindex">',
      ),
      '/fence': htmlPage('Fence', 'Fence words.', '/behind').replace(
        '<head>',
        '<head><meta name="robots" content="nofollow">',
      ),
      '/beyond': htmlPage('Beyond', 'Beyond words.'),
      '/behind': htmlPage('Behind', 'Behind words.'),
    });
    expect(await found.paths()).toEqual(['/', '/beyond', '/fence', '/open']);
    expect(found.site.visited).not.toContain('/private/x');
    expect(found.site.visited).not.toContain('/behind');
  });

  it('stops at its maximum depth and number of documents', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 8 }, (_, i) => [`/${i}`, htmlPage(`Page ${i}`, `Words ${i}.`, `/${i + 1}`)]),
    );
    const shallow = await crawl(chain, { maxDepth: 2 }, '/0');
    expect(await shallow.paths()).toEqual(['/0', '/1', '/2']);
    await site?.[Symbol.asyncDispose]();
    const few = await crawl(chain, { maxDocuments: 4, maxDepth: 20 }, '/0');
    expect(await few.paths()).toEqual(['/0', '/1', '/2', '/3']);
  });

  it('omits large and unsupported documents but continues with other links', async () => {
    const found = await crawl(
      {
        '/': htmlPage('Home', 'Welcome.', '/big', '/text', '/page'),
        '/big': htmlPage('Big', 'x '.repeat(20_000)),
        '/text': { type: 'text/plain', body: 'Words in a plain file.' },
        '/page': htmlPage('Page', 'Words on a page.', '/more'),
        '/more': { type: 'text/markdown', body: '# More\n\nWords in Markdown.' },
      },
      {
        maxDocumentBytes: 10_000,
        relevantDocumentTypes: { exclude: { mimeTypes: ['text/html'] } },
      },
    );
    expect(await found.paths()).toEqual(['/more', '/text']);
    expect(found.source.stats.lastError).toContain('/big: the response is longer than 10000 bytes');
  });

  it('skips failing pages and reports them', async () => {
    const found = await crawl({
      '/': htmlPage('Home', 'Welcome.', '/broken', '/gone', '/fine'),
      '/broken': { status: 500, body: 'oops' },
      '/fine': htmlPage('Fine', 'All is well.'),
    });
    expect(await found.paths()).toEqual(['/', '/fine']);
    expect(found.source.stats.lastError).toContain('/broken: the server responded with 500');
    expect(found.site.visited.filter((path) => path === '/broken')).toHaveLength(3);
  });

  it('stays on its sites and does not follow external links or redirects', async () => {
    await using other = await TestSite.start({
      '/': htmlPage('Other', 'Words of another site.', '/more'),
      '/more': htmlPage('More', 'More words.'),
    });
    const found = await crawl({
      '/': htmlPage('Home', 'Welcome.', other.url('/'), '/away', '/here'),
      '/away': { status: 302, headers: { Location: other.url('/') } },
      '/here': { status: 301, headers: { Location: '/final' } },
      '/final': htmlPage('Final', 'Final words.'),
    });
    expect(await found.paths()).toEqual(['/', '/final']);
    expect(other.visited).toEqual(['/']);
    await site?.[Symbol.asyncDispose]();
    const moved = await crawl({ '/': { status: 301, headers: { Location: other.url('/') } } });
    const documents = await moved.corpus.documents(moved.source);
    expect(titles(documents)).toEqual(['More', 'Other']);
  });

  it('reports start URLs that failed', async () => {
    const forbidden = await crawl({
      '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /' },
    });
    expect(forbidden.source.stats).toMatchObject({
      numDocs: 0,
      lastError: expect.stringContaining('robots.txt'),
    });
    expect((await forbidden.corpus.show()).stats.status).toBe('CORPUS_STATUS_EMPTY');
  });

  it('omits pages and links as their robots directives ask, and reports start URLs among them', async () => {
    const found = await crawl({
      '/': { body: htmlPage('Home', 'Welcome.', '/tag', '/meta'), headers: { 'X-Robots-Tag': 'noindex' } },
      '/tag': {
        body: htmlPage('Tag', 'Words.', '/unfollowed'),
        headers: { 'X-Robots-Tag': 'otherbot: noindex, svc-crawler: nofollow' },
      },
      '/meta': htmlPage('Meta', 'More words.').replace('<head>', '<head><meta name=robots content=noindex>'),
      '/unfollowed': htmlPage('Unfollowed', 'Yet more words.'),
    });
    expect(await found.paths()).toEqual(['/tag']);
    expect(found.site.visited).toEqual(['/', '/tag', '/meta']);
    expect(found.source.stats.lastError).toBe(`${found.site.url('/')}: the page asks not to be indexed`);
  });

  it('retains documents, removes missing ones and adds new ones when it is reloaded', async () => {
    const found = await crawl({
      '/': htmlPage('Home', 'Welcome.', '/a', '/b'),
      '/a': htmlPage('A', 'Words about ants.'),
      '/b': htmlPage('B', 'Words about bees.'),
    });
    const before = await found.corpus.documents(found.source);
    found.site.pages.set('/', { body: htmlPage('Home', 'Welcome.', '/a', '/c') });
    found.site.pages.set('/a', { body: htmlPage('A', 'Words about aphids.') });
    found.site.pages.delete('/b');
    found.site.pages.set('/c', { body: htmlPage('C', 'Words about cicadas.') });
    const spec = { startUrls: [found.site.url('/')] };
    await account.send('PATCH', found.corpus.sourcePath(found.source), { crawl: spec });
    await found.corpus.ready(found.source);
    expect(await found.paths()).toEqual(['/', '/a', '/c']);
    const after = await found.corpus.documents(found.source);
    const idOf = (documents: CorpusDocument[], title: string): string | undefined =>
      documents.find(({ metadata }) => metadata.title === title)?.documentId;
    expect(['Home', 'A'].map((title) => idOf(after, title))).toEqual(
      ['Home', 'A'].map((title) => idOf(before, title)),
    );
    expect(await found.corpus.query('bees ants')).toEqual([]);
    expect(await found.corpus.query('aphids cicadas')).toHaveLength(2);
  });

  it('resumes after the dispatcher is killed', async () => {
    const count = 12;
    const pages = Array.from({ length: count }, (_, i): [string, string] => [
      `/${i}`,
      htmlPage(`Page ${i}`, `Words ${i}.`, `/${i + 1}`),
    ]);
    const here = await TestSite.start(Object.fromEntries(pages));
    site = here;
    const release = here.hold('/5');
    const corpus = await CorpusClient.create(account);
    await stopDispatcher();
    const doomed = forkDispatcher(harness);
    await once(doomed, 'message');
    const crawl = { startUrls: [here.url('/0')], maxDepth: 20 };
    const { body: source } = await corpus.addSource({ crawl });
    await eventually(() => expect(here.visited).toContain('/5'));
    doomed.kill('SIGKILL');
    await once(doomed, 'exit');
    const { stats } = await corpus.source(source);
    expect(stats).toMatchObject({ status: 'SOURCE_STATUS_INITIALIZING' });
    expect(stats.numDocs).toBeGreaterThan(0);
    release();
    // Simulate that ten minutes have passed.
    await harness.store.db
      .updateTable('corpus_sources')
      .set({ due_at: new Date(Date.now() - 600_000) })
      .where('source_id', '=', source.sourceId)
      .execute();
    await startDispatcher();
    expect((await corpus.ready(source)).stats.numDocs).toBe(count);
    // At most one page was requested twice; the last link is broken.
    expect(here.visited.length).toBeLessThanOrEqual(count + 2);
  });
});
