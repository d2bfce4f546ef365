import { get, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Call, CallSummary } from '@calls/api-contract/rest/call';
import type { CallTombstone } from '@calls/api-contract/rest/call-records';
import type { Page } from '@calls/api-contract/rest/common';
import type { EndReason } from '@calls/api-contract/rest/enums';
import { newId } from '@calls/foundation/ids';
import { sql } from 'kysely';
import { ControlPlaneHarness, type TestAccount } from '../../support/control-plane-harness.ts';

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
afterAll(() => harness.stop());

interface Past {
  /** Name of the call in the tests, stored as metadata `name`. */
  name: string;
  created?: string;
  /** Duration of the call. Null: the call was never joined. Absent: the call is live. */
  seconds?: number | null;
  agentId?: string;
  agentName?: string;
  metadata?: Record<string, string>;
  shortSummary?: string;
  /** End reason of an ended call; defaults to `hangup`. */
  endReason?: EndReason;
}

/** Creates a call through the API and moves it into the past. */
async function past(owner: TestAccount, call: Past): Promise<string> {
  const { callId } = await owner.createCall({ metadata: { name: call.name, ...call.metadata } });
  const joined = call.seconds == null ? null : sql`created_at`;
  const ended =
    call.seconds === undefined ? null : sql`created_at + make_interval(secs => ${call.seconds ?? 30})`;
  const db = harness.store.db;
  if (call.created !== undefined) {
    await sql`update calls set created_at = ${new Date(call.created)} where call_id = ${callId}`.execute(db);
    await sql`update call_facts set created_at = ${new Date(call.created)} where call_id = ${callId}`.execute(
      db,
    );
  }
  await sql`update calls set joined_at = ${joined}, ended_at = ${ended}, agent_id = ${call.agentId ?? null},
    agent_name = ${call.agentName ?? null}, short_summary = ${call.shortSummary ?? null},
    end_reason = ${call.seconds === undefined ? null : (call.endReason ?? 'hangup')} where call_id = ${callId}`.execute(
    db,
  );
  return callId;
}

async function names(owner: TestAccount, query: string): Promise<string[]> {
  const page = await owner.request<Page<Call>>(`/api/calls?${query}`);
  expect([query, page.status]).toEqual([query, 200]);
  expect(page.body.total).toBe(page.body.results.length);
  return page.body.results.map(({ metadata }) => metadata['name'] ?? '');
}

describe('the list of calls', () => {
  const [agentA, agentB] = [newId(), newId()];
  let lister: TestAccount;

  beforeAll(async () => {
    lister = await harness.account();
    const other = await harness.account();
    await past(other, { name: 'foreign', created: '2026-03-01T10:00:00Z', seconds: 10, agentId: agentA });
    const calls: Past[] = [
      {
        name: 'a',
        created: '2026-03-01T23:30:00Z',
        seconds: 10,
        agentId: agentA,
        metadata: { plan: 'gold', city: 'Bern' },
      },
      {
        name: 'b',
        created: '2026-03-02T00:30:00Z',
        seconds: 10.5,
        agentId: agentB,
        metadata: { plan: 'gold' },
      },
      {
        name: 'c',
        created: '2026-03-02T12:00:00Z',
        seconds: null,
        endReason: 'unjoined',
        metadata: { plan: 'tin', 'odd.key[x]': 'it is, "odd"' },
      },
      {
        name: 'd',
        created: '2026-03-03T12:00:00Z',
        seconds: 600,
        endReason: 'timeout',
        shortSummary: 'The caller wanted a refund for room 77.',
      },
      { name: 'e', created: '2026-03-04T12:00:00Z', agentId: agentA, agentName: 'Night desk' },
    ];
    for (const call of calls) await past(lister, call);
  });

  it('finds a call by its id, and calls that mention the id in their text', async () => {
    const owner = await harness.account();
    const callId = await past(owner, { name: 'a' });
    await past(owner, { name: 'b' });
    await past(owner, { name: 'c', metadata: { transferredFrom: callId } });
    expect(await names(owner, `search=${callId}`)).toEqual(['c', 'a']);
    expect(await names(owner, `search=%20${callId.toUpperCase()}`)).toEqual(['c', 'a']);
    expect(await names(owner, `search=${newId()}`)).toEqual([]);
    expect(await names(await harness.account(), `search=${callId}`)).toEqual([]);
  });

  it.each([
    ['', 'edcba'],
    ['sort=created', 'abcde'],
    ['sort=-created', 'edcba'],
    ['sort=-ended', 'edcba'],
    ['sort=ended', 'abcde'],
    ['sort=duration', 'ecabd'],
    ['sort=-duration', 'dbace'],
    [`agentIds=${agentA}`, 'ea'],
    [`agentIds=${agentA}&agentIds=${agentB}`, 'eba'],
    [`agentIds=${agentA},${agentB}&sort=created`, 'abe'],
    [`agentIds=${newId()}`, ''],
    ['endReasons=hangup', 'ba'],
    ['endReasons=timeout,unjoined', 'dc'],
    ['endReasons=timeout&endReasons=hangup&sort=created', 'abd'],
    ['endReasons=system_error', ''],
    [`endReasons=hangup&agentIds=${agentA}`, 'a'],
    ['durationMin=10.5s', 'db'],
    ['durationMin=0s', 'dcba'],
    ['durationMax=10s', 'ca'],
    ['durationMax=-1s', ''],
    ['durationMin=0.0001s&durationMax=999999999999s', 'dba'],
    ['durationMin=999999999999s', ''],
    ['fromDate=2026-03-02T12:00:00Z', 'edc'],
    ['toDate=2026-03-02T12:00:00Z', 'cba'],
    ['fromDate=2026-03-02T01:30:00%2B01:00&toDate=2026-03-03T12:00:00Z', 'dcb'],
    ['timeOfDayStart=12:00', 'edca'],
    ['timeOfDayEnd=12:00:00', 'edcb'],
    ['timeOfDayStart=12:00&timeOfDayEnd=12:00:00', 'edc'],
    ['timeOfDayStart=23:00:00&timeOfDayEnd=01:00:00', 'ba'],
    ['metadata[plan]=gold', 'ba'],
    ['metadata.plan=gold&metadata[city]=Bern', 'a'],
    ['metadata[plan]=Bern', ''],
    [`metadata[odd.key[x]]=${encodeURIComponent('it is, "odd"')}`, 'c'],
    ['search=refund', 'd'],
    ['search=REFU', 'd'],
    ['search=room%20refund', 'd'],
    ['search=room%20tin', ''],
    ['search=bern', 'a'],
    ['search=night%20de', 'e'],
    [`search=${encodeURIComponent(`' | !x \\ & (:*`)}`, ''],
    ['search=!!!', ''],
    [`agentIds=${agentA}&durationMin=5s&metadata[plan]=gold&search=bern&timeOfDayStart=20:00`, 'a'],
  ])('returns for ?%s the calls %s', async (query, expected) => {
    expect((await names(lister, query)).join('')).toBe(expected);
  });

  it('filters calls by voice', async () => {
    const voices = await lister.list<{ voiceId: string; name: string }>('/api/voices');
    const clara = voices.results.find(({ name }) => name === 'Clara');
    const speaker = await harness.account();
    await speaker.createCall({ voice: 'Clara', metadata: { name: 'x' } });
    await speaker.createCall({ voice: 'Bruno', metadata: { name: 'y' } });
    expect(await names(speaker, `voiceId=${clara?.voiceId}`)).toEqual(['x']);
  });

  it.each([
    ['agentIds=x', 'agentIds.0'],
    ['durationMin=5', 'durationMin'],
    ['fromDate=yesterday', 'fromDate'],
    ['fromDate=2026-03-02T00:00:00.001Z&toDate=2026-03-02T01:00:00%2B01:00', 'toDate'],
    ['durationMin=60s&durationMax=59.5s', 'durationMax'],
    ['timeOfDayStart=25:00', 'timeOfDayStart'],
    ['metadata=gold', 'metadata'],
    ['metadata[a]=1&metadata[a]=2', 'metadata.a'],
    ['search=', 'search'],
    ['search=a%00b', 'search'],
    ['sort=price', 'sort'],
    ['voiceId=Clara', 'voiceId'],
    ['endReasons=tired', 'endReasons.0'],
    ['endReasons=', 'endReasons.0'],
  ])('rejects ?%s with the path of the invalid parameter', async (query, path) => {
    const lists = query.startsWith('sort') ? ['calls'] : ['calls', 'deleted_calls'];
    for (const list of lists) {
      const { status, body } = await lister.request(`/api/${list}?${query}`);
      expect([list, status, body.errors?.map((issue) => issue.path)]).toEqual([list, 400, [path]]);
    }
  });

  it.each([
    ['pageSize=5&pageSize=6', 'pageSize'],
    ['pageSize=5&page_size=6', 'pageSize'],
    ['fromDate=2026-03-02&fromDate=2026-03-03', 'fromDate'],
    ['metadata[a]=1&metadata[a]=2', 'metadata.a'],
  ])('rejects ?%s because %s is given twice', async (query, path) => {
    const { status, body } = await lister.request(`/api/calls?${query}`);
    expect([status, body.errors]).toEqual([400, [{ path, message: 'must be given once' }]]);
  });

  it('has page links that preserve filters and order', async () => {
    const seen: string[] = [];
    let next: string | null =
      '/api/calls?metadata[plan]=gold&agent_ids=' + `${agentA},${agentB}&sort=duration&page_size=1`;
    for (let pages = 0; next !== null && pages < 5; pages += 1) {
      const page: Page<Call> = await lister.list<Call>(next);
      expect(page.total).toBe(2);
      seen.push(...page.results.map(({ metadata }) => metadata['name'] ?? ''));
      next = page.next;
    }
    expect(seen).toEqual(['a', 'b']);
  });

  it('pages forwards and backwards through live calls, which have no end time', async () => {
    const busy = await harness.account();
    for (const name of ['v', 'w', 'x', 'y', 'z'])
      await past(busy, { name, ...(name < 'x' && { seconds: 5 }) });
    for (const sort of ['ended', '-ended', 'duration', '-duration', 'created']) {
      const all = await names(busy, `sort=${sort}`);
      const first = await busy.list<Call>(`/api/calls?sort=${sort}&pageSize=2`);
      const second = await busy.list<Call>(first.next ?? '');
      const third = await busy.list<Call>(second.next ?? '');
      const walked = [first, second, third].flatMap(({ results }) =>
        results.map((call) => call.metadata['name']),
      );
      expect(walked).toEqual(all);
      expect(third.next).toBeNull();
      expect((await busy.list<Call>(third.previous ?? '')).results).toEqual(second.results);
    }
  });
});

describe('a call list that grows while it is paged', () => {
  it('returns each existing call once, in order, with an exact total', async () => {
    const owner = await harness.account();
    const before: string[] = [];
    for (let i = 0; i < 25; i += 1) before.unshift((await owner.createCall()).callId);
    let writing = true;
    const added: string[] = [];
    const writer = async (): Promise<void> => {
      while (writing) added.push((await owner.createCall()).callId);
    };
    const writers = [writer(), writer(), writer()];
    try {
      for (let round = 0; round < 4; round += 1) {
        const seen: string[] = [];
        let next: string | null = '/api/calls?pageSize=4';
        while (next !== null) {
          const atLeast = before.length + added.length;
          const page: Page<Call> = await owner.list<Call>(next);
          expect(page.total).toBeGreaterThanOrEqual(atLeast);
          expect(page.total).toBeLessThanOrEqual(before.length + added.length + writers.length);
          seen.push(...page.results.map(({ callId }) => callId));
          next = page.next;
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.filter((callId) => before.includes(callId))).toEqual(before);
      }
    } finally {
      writing = false;
      await Promise.all(writers);
    }
    expect(added.length).toBeGreaterThan(5);
    expect((await owner.list('/api/calls?pageSize=1')).total).toBe(before.length + added.length);
  });
});

describe('deleted calls', () => {
  it('are listed with the same filters on their remaining fields', async () => {
    const owner = await harness.account();
    const agentId = newId();
    const remaining = await past(owner, { name: 'remaining', seconds: 5, agentId });
    const gone = await past(owner, {
      name: 'gone',
      created: '2026-03-01T23:30:00Z',
      seconds: 61,
      agentId,
      agentName: 'Night desk',
      shortSummary: 'A refund was promised.',
    });
    expect((await owner.send('DELETE', `/api/calls/${gone}`)).status).toBe(204);
    expect(await names(owner, '')).toEqual(['remaining']);
    const list = async (query: string) => {
      const page = await owner.list<CallTombstone>(`/api/deleted_calls?${query}`);
      return page.results.map(({ callId }) => callId);
    };
    for (const query of [
      '',
      `agentIds=${agentId}`,
      'metadata[name]=gone',
      'durationMin=60s',
      'search=night',
      'timeOfDayStart=23:00',
    ]) {
      expect([query, await list(query)]).toEqual([query, [gone]]);
    }
    for (const query of [
      'metadata[name]=remaining',
      'search=refund',
      'durationMax=60s',
      'fromDate=2026-03-02T00:00:00Z',
    ]) {
      expect([query, await list(query)]).toEqual([query, []]);
    }
    expect((await owner.request(`/api/deleted_calls/${remaining}`)).status).toBe(404);
    expect((await account.request(`/api/deleted_calls/${gone}`)).status).toBe(404);
    expect((await owner.request<CallTombstone>(`/api/deleted_calls/${gone}`)).body).toMatchObject({
      callId: gone,
      accountId: owner.accountId,
      created: '2026-03-01T23:30:00.000Z',
      joined: '2026-03-01T23:30:00.000Z',
      ended: '2026-03-01T23:31:01.000Z',
      maxDuration: '3600s',
      endReason: 'hangup',
      recordingEnabled: false,
      hadSummary: false,
    });
  });
});

describe('responses of call lists', () => {
  interface Received {
    status: number;
    headers: IncomingHttpHeaders;
    bytes: Buffer;
  }

  /** The response as sent, with the bytes of a compressed body. */
  function received(
    owner: TestAccount,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<Received> {
    return new Promise((resolve, reject) => {
      const asked = get(
        `${harness.url}${path}`,
        { headers: { 'X-API-Key': owner.key, ...headers } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              bytes: Buffer.concat(chunks),
            }),
          );
        },
      );
      asked.on('error', reject);
    });
  }

  let poller: TestAccount;

  beforeAll(async () => {
    poller = await harness.account();
    for (let index = 0; index < 20; index += 1) await past(poller, { name: `${index}`, seconds: index });
  });

  it.each([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ])('are compressed with %s when the client accepts %s', async (coding, accepted, decompress) => {
    const path = '/api/calls?pageSize=20';
    const plain = await received(poller, path);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const small = await received(poller, path, { 'Accept-Encoding': accepted });
    expect([small.headers['content-encoding'], small.headers.vary]).toEqual([coding, 'Accept-Encoding']);
    expect(decompress(small.bytes).equals(plain.bytes)).toBe(true);
    expect(small.bytes.length).toBeLessThan(plain.bytes.length / 5);
    expect(small.headers.etag).toBe(plain.headers.etag);
  });

  it('are not compressed below 1 kB or when they may contain secrets, as those of POST may', async () => {
    const brief = await poller.request('/api/calls?pageSize=1&search=nothing');
    const created = await poller.post('/api/calls', {
      medium: { serverWebSocket: { inputSampleRate: 16_000 } },
      systemPrompt: 'x'.repeat(2000),
    });
    expect(created.status).toBe(201);
    for (const { headers } of [brief, created]) expect(headers.has('Content-Encoding')).toBe(false);
  });

  it('have status 304 and no body until a call changes', async () => {
    const path = '/api/calls?pageSize=5';
    const first = await received(poller, path);
    const { etag = '' } = first.headers;
    expect([first.status, first.headers['cache-control']]).toEqual([200, 'no-store']);
    const known = (value: string) =>
      received(poller, path, { 'If-None-Match': value, 'Cache-Control': 'no-cache' });
    for (const value of [etag, `"another", ${etag}`, etag.replace('W/', '')]) {
      const { status, headers, bytes } = await known(value);
      expect([status, headers.etag, headers['cache-control'], bytes.length]).toEqual([
        304,
        etag,
        'no-store',
        0,
      ]);
    }
    const { callId } = await poller.createCall();
    const grown = await known(etag);
    expect([grown.status, grown.headers.etag === etag]).toEqual([200, false]);
    await harness.query('update calls set joined_at = now() where call_id = $1', callId);
    expect((await known(grown.headers.etag ?? '')).status).toBe(200);
  });

  it('have at most 3 KB for 50 call summaries', async () => {
    const owner = await harness.account();
    const agents = [newId(), newId(), newId()];
    for (let index = 0; index < 50; index += 1)
      await past(owner, {
        name: `${index}`,
        created: new Date(Date.UTC(2026, 2, 1) + index * 1_234_567).toISOString(),
        ...(index > 1 && { seconds: index * 7.321 }),
        ...(index % 4 > 0 && { agentId: agents[index % 3] ?? '', agentName: `Agent ${index % 3}` }),
      });
    const full = await received(owner, '/api/calls?pageSize=50', { 'Accept-Encoding': 'br' });
    const brief = await received(owner, '/api/calls/summaries?pageSize=50', { 'Accept-Encoding': 'br' });
    const sizes = { brief: brief.bytes.length, full: full.bytes.length };
    expect(sizes.brief).toBeLessThanOrEqual(3000);
    expect(sizes.full).toBeGreaterThan(2 * sizes.brief);
    const { etag = '' } = brief.headers;
    const path = '/api/calls/summaries?pageSize=50';
    expect((await received(owner, path, { 'If-None-Match': etag })).status).toBe(304);
  });

  it('contain as summaries the same calls in the same order with the same values', async () => {
    const query = 'pageSize=5&sort=duration';
    const full = await poller.request<Page<Call>>(`/api/calls?${query}`);
    const brief = await poller.request<Page<CallSummary>>(`/api/calls/summaries?${query}`);
    expect(brief.body.total).toBe(full.body.total);
    const cut = full.body.results.map((call) => ({
      ...call,
      systemPrompt: call.systemPrompt?.slice(0, 100) ?? null,
    }));
    expect(cut).toMatchObject(brief.body.results);
    const more = await poller.request<Page<CallSummary>>(
      brief.body.next?.slice(brief.body.next.indexOf('/api')) ?? '',
    );
    expect([more.status, more.body.results.length]).toEqual([200, 5]);
  });

  it('contain in summaries the beginning of the prompt when the call has no agent', async () => {
    const owner = await harness.account();
    await owner.createCall({ systemPrompt: `${'x'.repeat(99)}🎉 and more` });
    const { body } = await owner.request<Page<CallSummary>>('/api/calls/summaries');
    expect(body.results[0]?.systemPrompt).toBe(`${'x'.repeat(99)}\uFFFD`);
  });

  it('have no ETag when they are errors', async () => {
    const { status, headers } = await received(poller, '/api/calls?pageSize=0');
    expect([status, 'etag' in headers]).toEqual([400, false]);
  });
});
