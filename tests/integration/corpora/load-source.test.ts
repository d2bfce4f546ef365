import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceSpec } from '@calls/api-contract/rest/corpus';
import { loadSource } from '@calls/dispatcher/corpora/load-source';
import { createDispatcherWork } from '@calls/dispatcher/untrusted-work/dispatcher-work';
import { systemClock, type Timer } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { silentLogger } from '@calls/foundation/logger';
import { FileStorage } from '@calls/object-storage/file-storage';
import { createOutboundHttp } from '@calls/outbound-http/outbound-http';
import { insertAccount } from '@calls/store/tables/accounts';
import { insertCorpus } from '@calls/store/tables/corpora';
import {
  assignUploads,
  corpusDocumentsOf,
  deleteCorpus,
  insertUpload,
  storeUpload,
  type CorpusDocumentRow,
} from '@calls/store/tables/corpus-documents';
import {
  findCorpusSource,
  insertCorpusSource,
  updateCorpusSource,
  type CorpusSourceRow,
  type SourceKey,
} from '@calls/store/tables/corpus-sources';
import { eventually } from '../../support/eventually.ts';
import { htmlPage, TestSite } from '../../support/corpora/test-site.ts';
import { ScratchServers } from '../../support/scratch-servers.ts';
import { openTestStore } from '../../support/test-store.ts';

const accountId = newId();
const never = new AbortController().signal;
/** Limits each run to one document. */
const ONE_AT_A_TIME = 0;

const servers = await ScratchServers.open();
const postgres = await servers.database();
const store = openTestStore(postgres.url, { poolSize: 6 });
const createdAt = new Date();
await insertAccount(store.db, { accountId, name: 'test', plan: 'SCALE', features: [], createdAt });
const folder = await mkdtemp(join(tmpdir(), 'calls-objects-'));
const storage = new FileStorage(folder);
const outbound = createOutboundHttp({ allowPrivateNetworks: ['127.0.0.1/32'] });
const log = silentLogger;
const untrustedWork = createDispatcherWork(log);
const parts = { db: store.db, storage, outbound, untrustedWork, clock: systemClock, log };
afterAll(async () => {
  await untrustedWork[Symbol.asyncDispose]();
  await parts.outbound[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await servers.close();
  await rm(folder, { recursive: true, force: true });
});

/** A source that no run has started to load. */
async function newSource(spec: SourceSpec, ...texts: string[]): Promise<SourceKey> {
  const { db } = store;
  const key = { accountId, corpusId: newId(), sourceId: newId() };
  const createdAt = new Date();
  const names = { name: '', description: '' };
  await insertCorpus(db, { corpus_id: key.corpusId, account_id: accountId, ...names, created_at: createdAt });
  await insertCorpusSource(db, { ...key, ...names, spec, createdAt });
  for (const text of texts) {
    const documentId = newId();
    const objectKey = `corpora/${documentId}`;
    const upload = { documentId, accountId, corpusId: key.corpusId, createdAt, mimeType: 'text/plain' };
    await insertUpload(db, { ...upload, fileName: `${text}.txt` });
    const { bytes } = await parts.storage.put(objectKey, [Buffer.from(text)]);
    await storeUpload(db, documentId, { objectKey, sizeBytes: bytes });
  }
  const uploads = await db
    .selectFrom('corpus_documents')
    .select('document_id')
    .where('corpus_id', '=', key.corpusId)
    .execute();
  const choices = uploads.map((row) => ({ documentId: row.document_id, exampleQueries: [] }));
  expect(await assignUploads(db, key, choices)).toEqual([]);
  return key;
}

function run(key: SourceKey, runMs?: number, signal = never, revision = 1): Promise<void> {
  return loadSource(parts, { sourceId: key.sourceId, revision }, signal, runMs);
}

async function stateOf(key: SourceKey): Promise<CorpusSourceRow> {
  return (await findCorpusSource(store.db, key))!;
}

/** Pending load jobs of the source. */
async function orders(key: SourceKey): Promise<number[]> {
  const rows = await store.db.selectFrom('outbox').select('payload').where('topic', '=', 'job').execute();
  return rows
    .map(({ payload }) => payload as { sourceId?: string; revision: number })
    .filter(({ sourceId }) => sourceId === key.sourceId)
    .map(({ revision }) => revision);
}

function documentsOf(key: SourceKey): Promise<CorpusDocumentRow[]> {
  return corpusDocumentsOf(store.db, key).fetch({ from: null, direction: 'next', limit: 100 });
}

describe('loading a source', () => {
  it('proceeds in steps, each scheduling the next, until complete', async () => {
    const key = await newSource({ upload: { documentIds: [] } }, 'whales', 'otters', 'seals');
    for (let step = 1; step <= 3; step += 1) {
      await run(key, ONE_AT_A_TIME);
      expect(await stateOf(key)).toMatchObject({ state: 'loading', documents: step });
      expect(await orders(key)).toHaveLength(1 + step);
    }
    await run(key, ONE_AT_A_TIME);
    expect(await stateOf(key)).toMatchObject({ state: 'ready', documents: 3 });
    expect(await orders(key)).toHaveLength(4);
  });

  it('is done by only one process at a time', async () => {
    await using site = await TestSite.start({ '/': htmlPage('Home', 'Words.', '/a'), '/a': 'Words of A.' });
    const answer = site.hold('/');
    const key = await newSource({ crawl: { startUrls: [site.url('/')] } });
    const running = run(key, ONE_AT_A_TIME);
    await eventually(() => expect(site.visited).toEqual(['/']));
    await Promise.all([run(key, ONE_AT_A_TIME), run(key, ONE_AT_A_TIME)]);
    expect(await stateOf(key)).toMatchObject({ state: 'loading', documents: 0 });
    answer();
    await running;
    expect(site.visited).toEqual(['/']);
    expect(await stateOf(key)).toMatchObject({ state: 'loading', documents: 1 });
  });

  it('preserves the progress of an interrupted run for the next one', async () => {
    const key = await newSource({ upload: { documentIds: [] } }, 'whales', 'otters');
    await run(key, ONE_AT_A_TIME);
    await expect(run(key, undefined, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    expect(await stateOf(key)).toMatchObject({ state: 'loading', documents: 1 });
    const [before] = (await documentsOf(key)).filter((row) => row.chunk_count > 0);
    await run(key);
    expect(await stateOf(key)).toMatchObject({ state: 'ready', documents: 2 });
    expect(await documentsOf(key)).toContainEqual(before);
  });

  it('waits until the hold of a killed process expires, then continues', async () => {
    const key = await newSource({ upload: { documentIds: [] } }, 'whales');
    const due = (atMs: number) =>
      store.db
        .updateTable('corpus_sources')
        .set({ due_at: new Date(atMs) })
        .where('source_id', '=', key.sourceId)
        .execute();
    await due(Date.now() + 30_000);
    await run(key);
    expect(await stateOf(key)).toMatchObject({ state: 'loading', documents: 0 });
    await due(Date.now() - 1000);
    await run(key);
    expect(await stateOf(key)).toMatchObject({ state: 'ready', documents: 1 });
  });

  it('stops, even midway, when a newer revision exists', async () => {
    const key = await newSource({ upload: { documentIds: [] } }, 'whales', 'otters');
    await run(key, ONE_AT_A_TIME);
    await updateCorpusSource(store.db, key.sourceId, { spec: { upload: { documentIds: [] } } });
    await run(key);
    expect(await stateOf(key)).toMatchObject({ state: 'loading', revision: 2 });
    expect((await documentsOf(key)).map((row) => row.loaded_revision).sort()).toEqual([0, 1]);
    await run(key, undefined, never, 2);
    expect(await stateOf(key)).toMatchObject({ state: 'ready', documents: 2 });
  });

  it('ends without error when the corpus is deleted', async () => {
    await using site = await TestSite.start({
      '/': { body: htmlPage('Home', 'Words.', '/a'), delayMs: 300 },
    });
    const key = await newSource({ crawl: { startUrls: [site.url('/')] } });
    const running = run(key);
    await eventually(() => expect(site.visited.length).toBeGreaterThan(0));
    expect(await deleteCorpus(store.db, accountId, key.corpusId)).toBe(true);
    await running;
    expect(await documentsOf(key)).toEqual([]);
  });

  it('crawls each page once over all steps', async () => {
    await using site = await TestSite.start({
      '/': htmlPage('Home', 'Words.', '/a', '/b'),
      '/a': htmlPage('A', 'Words of A.', '/b', '/c'),
      '/b': htmlPage('B', 'Words of B.', '/a'),
      '/c': htmlPage('C', 'Words of C.', '/'),
    });
    const key = await newSource({ crawl: { startUrls: [site.url('/')] } });
    for (let step = 0; step < 5; step += 1) await run(key, ONE_AT_A_TIME);
    expect(await stateOf(key)).toMatchObject({ state: 'ready', documents: 4 });
    expect(site.visited).toEqual(['/', '/a', '/b', '/c']);
  });

  it('pauses for as long as an overloaded site asks, at most 20 s', async () => {
    await using site = await TestSite.start({
      '/': htmlPage('Home', 'Words.', '/busy', '/down'),
      '/busy': { status: 429, headers: { 'Retry-After': '7' } },
      '/down': { status: 503, headers: { 'Retry-After': new Date(Date.now() + 90_000).toUTCString() } },
    });
    const pauses: number[] = [];
    const setTimer = (ms: number, fire: () => void): Timer => {
      if (ms > 5000) pauses.push(Math.round(ms / 1000));
      return systemClock.setTimer(0, fire);
    };
    const key = await newSource({ crawl: { startUrls: [site.url('/')] } });
    const clock = { ...systemClock, setTimer };
    await loadSource({ ...parts, clock }, { sourceId: key.sourceId, revision: 1 }, never);
    expect(site.visited).toEqual(['/', '/busy', '/down', '/busy', '/down', '/busy', '/down']);
    expect(pauses).toEqual([7, 20, 7, 20, 7]);
  });

  it('follows a page that only refreshes to another', async () => {
    await using site = await TestSite.start({
      '/': '<meta http-equiv="refresh" content="0; url=/en/">',
      '/en/': htmlPage('Home', 'Words.'),
    });
    const key = await newSource({ crawl: { startUrls: [site.url('/')] } });
    await run(key);
    expect(await stateOf(key)).toMatchObject({ state: 'ready', documents: 1, last_error: null });
  });

  it('loads no page while the site rejects requests for robots.txt as too many', async () => {
    const robots = { status: 429 };
    await using site = await TestSite.start({ '/robots.txt': robots, '/': htmlPage('Home', 'Words.') });
    const key = await newSource({ crawl: { startUrls: [site.url('/')] } });
    await run(key);
    const error = `${site.url('/')}: robots.txt responds with 429`;
    expect(await stateOf(key)).toMatchObject({ documents: 0, last_error: error });
    expect(site.visited).toEqual([]);
  });

  it('aborts an endless page and reports it', async () => {
    await using site = await TestSite.start({
      '/': htmlPage('Home', 'Words.', '/slow'),
      '/slow': { body: 'x', delayMs: 60_000 },
    });
    const key = await newSource({ crawl: { startUrls: [site.url('/')] } });
    await run(key, ONE_AT_A_TIME);
    const limit = AbortSignal.timeout(500);
    await expect(run(key, undefined, limit)).rejects.toThrow();
    expect(await stateOf(key)).toMatchObject({ state: 'loading', documents: 1 });
  });

  it('ends a crawl at its time limit with the pages loaded so far', async () => {
    await using site = await TestSite.start({
      '/': htmlPage('Home', 'Words.', '/a'),
      '/a': htmlPage('A', 'Words of A.'),
    });
    const key = await newSource({ crawl: { startUrls: [site.url('/')] } });
    await run(key, ONE_AT_A_TIME);
    const late = { ...systemClock, wallMs: () => Date.now() + 31 * 60_000 };
    await loadSource({ ...parts, clock: late }, { sourceId: key.sourceId, revision: 1 }, never);
    expect(await stateOf(key)).toMatchObject({
      state: 'ready',
      documents: 1,
      last_error: 'the crawl was stopped after 30 minutes',
    });
  });

  it('loads a large file in one step', async () => {
    const sentence =
      'The whale number 123456 swims through the wide ocean and sings its long song for the others. ';
    const key = await newSource({ upload: { documentIds: [] } }, sentence.repeat(100_000));
    await run(key, Infinity);
    const row = await stateOf(key);
    expect(row).toMatchObject({ state: 'ready', documents: 1, last_error: null });
    const [document] = await documentsOf(key);
    expect(document!.chunk_count).toBeGreaterThan(5000);
  });
});
