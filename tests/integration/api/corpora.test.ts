import { afterAll, describe, expect, it } from '@jest/globals';
import type { Corpus, CorpusDocument, CorpusSource } from '@calls/api-contract/rest/corpus';
import { newId } from '@calls/foundation/ids';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';
import { CorpusClient } from '../../support/corpora/corpus-client.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

const PATH = '/api/corpora';

describe('corpora', () => {
  it('are created, read, replaced, changed and deleted', async () => {
    const created = await account.post<Corpus>(PATH, { name: 'Handbook', description: 'All of it' });
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: 'Handbook',
        description: 'All of it',
        stats: { status: 'CORPUS_STATUS_EMPTY', numChunks: 0, numDocs: 0, numVectors: 0 },
      },
    });
    const path = `${PATH}/${created.body.corpusId}`;
    expect((await account.request<Corpus>(path)).body).toEqual(created.body);
    const changed = await account.send<Corpus>('PATCH', path, { name: 'Guide' });
    expect(changed).toMatchObject({ status: 200, body: { ...created.body, name: 'Guide' } });
    const replaced = await account.send<Corpus>('PUT', path, { description: 'Less of it' });
    expect(replaced.body).toEqual({ ...created.body, name: '', description: 'Less of it' });
    expect((await account.send('DELETE', path)).status).toBe(204);
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      expect((await account.send(method, path, method === 'PATCH' ? {} : undefined)).status).toBe(404);
    }
  });

  it('can be created without a name and ignore read-only fields', async () => {
    const given = { corpusId: 'mine', created: 1, stats: 'full' };
    const responses = [await account.post<Corpus>(PATH, given), await account.post<Corpus>(PATH, {})];
    expect(responses.map(({ status, body }) => [status, body.name])).toEqual([
      [201, ''],
      [201, ''],
    ]);
    const refused = await account.post(PATH, { name: 'x'.repeat(129), size: 1 });
    expect(refused.body.errors!.map(({ path }) => path).sort()).toEqual(['name', 'size']);
  });

  it('are listed newest first and only for their account', async () => {
    const lister = await harness.account();
    for (const name of ['a', 'b', 'c']) await lister.post(PATH, { name });
    const first = await lister.list<Corpus>(`${PATH}?pageSize=2`);
    expect(first.results.map(({ name }) => name)).toEqual(['c', 'b']);
    expect(await lister.list<Corpus>(first.next!)).toMatchObject({ results: [{ name: 'a' }], total: 3 });
  });
});

describe('corpus sources', () => {
  it('are created, read, listed, replaced, changed and deleted', async () => {
    const corpus = await CorpusClient.create(account);
    const crawl = { startUrls: ['https://example.com/'], maxDocuments: 3, maxDepth: 1 };
    const created = await corpus.addSource({ name: 'Web', description: 'The site', crawl });
    expect(created).toMatchObject({
      status: 201,
      body: {
        corpusId: corpus.corpusId,
        name: 'Web',
        description: 'The site',
        stats: { status: 'SOURCE_STATUS_INITIALIZING', numDocs: 0 },
        crawl,
      },
    });
    expect((await corpus.show()).stats.status).toBe('CORPUS_STATUS_INITIALIZING');
    const path = corpus.sourcePath(created.body);
    expect((await account.request<CorpusSource>(path)).body).toEqual(created.body);
    const listed = await account.list<CorpusSource>(`${corpus.path}/sources`);
    expect(listed).toMatchObject({ results: [created.body], total: 1 });

    const renamed = await account.send<CorpusSource>('PATCH', path, { name: 'Site' });
    expect(renamed.body).toEqual({ ...created.body, name: 'Site' });
    const loadSpec = { startUrls: ['https://example.com/other'] };
    const replaced = await account.send<CorpusSource>('PUT', path, { loadSpec });
    expect(replaced).toMatchObject({ status: 200, body: { name: '', loadSpec } });
    expect(replaced.body).not.toHaveProperty('crawl');
    expect((await account.send('DELETE', path)).status).toBe(204);
    expect((await account.request(path)).status).toBe(404);
    expect((await corpus.show()).stats.status).toBe('CORPUS_STATUS_EMPTY');
  });

  it('are reloaded by a job when their origin changes but not when they are renamed', async () => {
    const corpus = await CorpusClient.create(account);
    const crawl = { startUrls: ['https://example.com/'] };
    const { body } = await corpus.addSource({ crawl });
    const path = corpus.sourcePath(body);
    await account.send('PATCH', path, { name: 'Site' });
    await account.send('PATCH', path, { crawl });
    const rows = await harness.store.db
      .selectFrom('outbox')
      .select('payload')
      .where('topic', '=', 'job')
      .orderBy('outbox_id')
      .execute();
    const revisions = rows
      .map(({ payload }) => payload as { sourceId: string; revision: number })
      .filter(({ sourceId }) => sourceId === body.sourceId)
      .map(({ revision }) => revision);
    expect(revisions).toEqual([1, 2]);
  });

  it('have exactly one kind of origin', async () => {
    const corpus = await CorpusClient.create(account);
    const crawl = { startUrls: ['https://example.com/'] };
    const upload = { documentIds: [await corpus.upload('text')] };
    for (const body of [{}, { name: 'x' }, { crawl, upload }, { crawl, loadSpec: crawl }]) {
      const response = await account.post(`${corpus.path}/sources`, body);
      expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      expect(response.body.detail).toContain('exactly one of');
    }
    expect((await account.list(`${corpus.path}/sources`)).total).toBe(0);
  });

  it('name the schemes of start URLs', async () => {
    const corpus = await CorpusClient.create(account);
    const crawl = { startUrls: ['ftp://example.com/'] };
    const response = await account.post(`${corpus.path}/sources`, { crawl });
    expect(response.body.errors).toEqual([
      { path: 'crawl.startUrls.0', message: 'must be an http:// or https:// URL' },
    ]);
  });

  it.each([
    ['no start URL', { crawl: { startUrls: [] } }, 'crawl.startUrls'],
    ['a URL with another scheme', { crawl: { startUrls: ['ftp://example.com/'] } }, 'crawl.startUrls.0'],
    ['a private address', { crawl: { startUrls: ['http://10.0.0.8/'] } }, 'crawl.startUrls.0'],
    [
      'a URL with credentials',
      { loadSpec: { startUrls: ['http://a:b@example.com/'] } },
      'loadSpec.startUrls.0',
    ],
    [
      'too many documents',
      { crawl: { startUrls: ['http://a.b/'], maxDocuments: 1001 } },
      'crawl.maxDocuments',
    ],
    ['a negative depth', { crawl: { startUrls: ['http://a.b/'], maxDepth: -1 } }, 'crawl.maxDepth'],
    ['no document ids', { upload: { documentIds: [] } }, 'upload.documentIds'],
    ['an invalid document id', { upload: { documentIds: ['x'] } }, 'upload.documentIds.0'],
    ['an unknown document', { upload: { documentIds: [newId()] } }, 'upload.documentIds.0'],
    [
      'an unknown document in advanced settings',
      { advanced: { documents: [{ documentId: newId() }] } },
      'advanced.documents.0.documentId',
    ],
  ])('are rejected with %s', async (_what, body, path) => {
    const corpus = await CorpusClient.create(account);
    const response = await account.post(`${corpus.path}/sources`, body);
    expect([response.status, response.body.errors?.[0]?.path]).toEqual([400, path]);
    expect((await account.list(`${corpus.path}/sources`)).total).toBe(0);
  });

  it('accept each completed upload of their corpus once and release it when removed', async () => {
    const corpus = await CorpusClient.create(account);
    const other = await CorpusClient.create(account);
    const free = await corpus.upload('one');
    const foreign = await other.upload('two');
    const awaited = (await corpus.requestUpload('text/plain')).documentId;
    const refused = await corpus.addSource({ upload: { documentIds: [free, foreign, awaited] } });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toMatch(/documentIds\.1.*documentIds\.2/u);
    expect((await corpus.addSource({ upload: { documentIds: [free, free] } })).status).toBe(400);

    const taken = await corpus.addSource({ upload: { documentIds: [free] } });
    expect(taken.status).toBe(201);
    expect((await corpus.addSource({ upload: { documentIds: [free] } })).status).toBe(400);
    const replacement = await corpus.upload('three');
    const path = corpus.sourcePath(taken.body);
    const change = { advanced: { documents: [{ documentId: replacement, exampleQueries: ['Why?'] }] } };
    expect((await account.send('PATCH', path, change)).status).toBe(200);
    const documents = await corpus.documents(taken.body);
    expect(documents).toMatchObject([
      {
        documentId: replacement,
        mimeType: 'text/plain',
        sizeBytes: '5',
        metadata: { exampleQueries: ['Why?'] },
      },
    ]);
    const again = await corpus.addSource({ upload: { documentIds: [free.toUpperCase()] } });
    expect(again.status).toBe(201);
    const one = `${corpus.sourcePath(again.body)}/documents/${free}`;
    expect((await account.request<CorpusDocument>(one)).body.documentId).toBe(free);
    expect((await account.request(`${path}/documents/${free}`)).status).toBe(404);
  });
});

describe('corpora of another account', () => {
  it('return 404', async () => {
    const corpus = await CorpusClient.create(account);
    const documentId = await corpus.upload('secret');
    const { body: source } = await corpus.addSource({ upload: { documentIds: [documentId] } });
    const stranger = await harness.account();
    const own = await CorpusClient.create(stranger);
    const sources = [corpus.sourcePath(source), `${own.path}/sources/${source.sourceId}`];
    const requests: [string, string, unknown?][] = [
      ['GET', corpus.path],
      ['PUT', corpus.path, { name: 'x' }],
      ['PATCH', corpus.path, { name: 'x' }],
      ['DELETE', corpus.path],
      ['POST', `${corpus.path}/query`, { query: 'secret' }],
      ['POST', `${corpus.path}/uploads`, { mimeType: 'text/plain' }],
      ['GET', `${corpus.path}/sources`],
      ['POST', `${corpus.path}/sources`, { crawl: { startUrls: ['https://example.com/'] } }],
      ...sources.flatMap((path): [string, string, unknown?][] => [
        ['GET', path],
        ['PUT', path, { crawl: { startUrls: ['https://example.com/'] } }],
        ['PATCH', path, { name: 'x' }],
        ['DELETE', path],
        ['GET', `${path}/documents`],
        ['GET', `${path}/documents/${documentId}`],
      ]),
    ];
    for (const [method, path, body] of requests) {
      const response = await stranger.send(method, path, body);
      expect([method, path, response.status, response.body.code]).toEqual([method, path, 404, 'not_found']);
    }
    const stolen = await own.addSource({ upload: { documentIds: [documentId] } });
    expect(stolen.status).toBe(400);
    expect((await corpus.source(source)).name).toBe('');
    expect((await account.request(`${PATH}/not-an-id`)).status).toBe(404);
  });
});
