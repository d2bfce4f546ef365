import { request, type IncomingHttpHeaders } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { OpenApiDocument } from '@calls/api-contract/openapi/openapi-document';
import { operations } from '@calls/api-contract/operations';
import type { AnyOperation } from '@calls/api-contract/operations/operation';
import { FEATURES } from '@calls/api-contract/rest/account';
import { RawConnection } from '@calls/testkit/raw-connection';
import { ResponseChecker } from '../../support/contract/response-checker.ts';
import { maliciousQueries } from '../../support/contract/malicious-queries.ts';
import { queryNamesOf, rowsOf } from '../../support/contract/operations.ts';
import { World } from '../../support/contract/world.ts';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';

const AT_ONCE = 10;

const harness = await ControlPlaneHarness.start();
const account = await harness.account('SCALE', null, [...FEATURES]);
const world = new World(account);
await account.createCall();
const judge = new ResponseChecker((await account.request<OpenApiDocument>('/api/schema/?format=json')).body);
afterAll(() => harness.stop());

async function inGroups<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    await Promise.all(items.slice(from, from + AT_ONCE).map(run));
  }
}

interface Sent {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends without the headers that `fetch` adds to conditional requests. */
function send(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sent = request(`${harness.url}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      const take = (): void =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        });
      response.on('end', take);
      // Event streams do not end.
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        take();
        sent.destroy();
      }
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Null when the API description defines such a response. */
async function issueOf(
  operation: AnyOperation,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  const { method } = operation;
  const isGet = method === 'GET';
  const own = { 'X-API-Key': account.key, ...(!isGet && { 'Content-Type': 'application/json' }) };
  const {
    status,
    headers: received,
    text,
  } = await send(method, path, { ...own, ...headers }, isGet ? '' : '{}');
  const isJson = received['content-type']?.startsWith('application/json') ?? false;
  const issue = judge.issue(operation, status, isJson ? (JSON.parse(text) as unknown) : null);
  return issue === null ? null : `${status}: ${issue}`;
}

describe('malicious query parameters', () => {
  const withQuery = operations.filter((operation) => queryNamesOf(operation).length > 0);

  it.each(rowsOf(withQuery))('sent to %s get a documented response', async (_id, operation) => {
    const path = await world.pathOf(operation);
    const wrong: string[] = [];
    await inGroups(queryNamesOf(operation).flatMap(maliciousQueries), async (query) => {
      const issue = await issueOf(operation, `${path}?${query}`);
      if (issue !== null) wrong.push(`${query.slice(0, 80)} → ${issue}`);
    });
    expect(wrong).toEqual([]);
  });
});

const CONDITIONS: readonly Record<string, string>[] = [
  ...[
    'bytes=0-0',
    'bytes=-1',
    'bytes=5-',
    'bytes=0-0,5-9',
    'bytes=9-0',
    'lines=1-2',
    'x',
    'bytes=99999999999-',
  ].map((Range) => ({ Range })),
  { Range: `bytes=${'0-0,'.repeat(500)}0-0` },
  { Range: 'bytes=0-0', 'If-Range': '"other"' },
  { Range: 'bytes=0-0', 'If-Range': 'Thu, 01 Jan 1970 00:00:00 GMT' },
  ...['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since'].flatMap((name) =>
    ['*', '"x"', 'W/"x"', 'x', ',', 'Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT'].map(
      (value) => ({ [name]: value }),
    ),
  ),
];

describe('conditional and range requests', () => {
  const FILES = ['/docs/api', '/docs/api/openapi-explorer.min.js', '/docs/', '/', '/healthz', '/readyz'];

  it.each(FILES)('for %s follow the HTTP specification', async (path) => {
    const wrong: string[] = [];
    await inGroups(CONDITIONS, async (headers) => {
      const { status, text } = await send('GET', path, headers);
      const isRight =
        [200, 206, 304].includes(status) ||
        ([412, 416].includes(status) && typeof (JSON.parse(text) as { code?: unknown }).code === 'string');
      if (!isRight) wrong.push(`${JSON.stringify(headers).slice(0, 80)} → ${status} ${text.slice(0, 200)}`);
    });
    expect(wrong).toEqual([]);
  });

  it('return the requested part of a file or the reason for the rejection', async () => {
    const get = (headers: Record<string, string>) =>
      send('GET', '/docs/api/openapi-explorer.min.js', headers);
    const part = await get({ Range: 'bytes=0-9' });
    expect([part.status, part.text.length]).toEqual([206, 10]);
    expect((await get({ 'If-Match': '*' })).status).toBe(200);
    const beyond = await get({ Range: 'bytes=99999999-' });
    expect([beyond.status, JSON.parse(beyond.text)]).toMatchObject([416, { code: 'range_not_satisfiable' }]);
    expect(beyond.headers['content-range']).toMatch(/^bytes \*\/\d+$/u);
    for (const headers of [
      { 'If-Match': '"x"' },
      { 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
    ]) {
      const changed = await get(headers);
      expect([changed.status, JSON.parse(changed.text)]).toMatchObject([
        412,
        { code: 'precondition_failed' },
      ]);
      expect(changed.headers).not.toHaveProperty('etag');
      expect(changed.headers['cache-control']).toBe('no-store');
    }
  });

  it('return full API responses for If-None-Match: *', async () => {
    for (const path of ['/api/calls', '/api/schema/']) {
      const { status } = await send('GET', path, { 'If-None-Match': '*', 'X-API-Key': account.key });
      expect([path, status]).toEqual([path, 200]);
    }
  });

  it('get a documented response when a telephony webhook has no signature', async () => {
    const operation = operations.find(({ id }) => id === 'startTelephonyCall')!;
    const path = await world.pathOf(operation);
    expect((await send('POST', path, {})).status).toBe(401);
    expect(await issueOf(operation, path)).toBeNull();
  });

  it.each(rowsOf(operations.filter(({ method, open }) => method === 'GET' && !open)))(
    'to %s get a documented response',
    async (_id, operation) => {
      const path = await world.pathOf(operation);
      const wrong: string[] = [];
      await inGroups(CONDITIONS, async (headers) => {
        const issue = await issueOf(operation, path, headers);
        if (issue !== null) wrong.push(`${JSON.stringify(headers).slice(0, 80)} → ${issue}`);
      });
      expect(wrong).toEqual([]);
    },
  );
});

describe('requests that are rejected before routing', () => {
  it.each([
    ['too many headers', 'GET /api/calls HTTP/1.1', [`a: ${'x'.repeat(20_000)}`], 431, 'headers_too_large'],
    ['an unknown expectation', 'GET /api/calls HTTP/1.1', ['Expect: wonders'], 417, 'expectation_failed'],
    ['no Host header', 'GET /api/calls HTTP/1.1', null, 400, 'malformed_request'],
    ['data that is not HTTP', 'rubbish', [], 400, 'malformed_request'],
  ])('get a JSON error in the format of the API: %s', async (_, line, headers, status, code) => {
    using connection = await RawConnection.open(Number(new URL(harness.url).port));
    const host = headers === null ? [] : ['Host: x', 'Connection: close', ...headers];
    connection.say([line, ...host, '', ''].join('\r\n'));
    expect(await connection.statusAtEnd()).toBe(status);
    const [head = '', body = ''] = connection.received.split('\r\n\r\n');
    expect(head.toLowerCase()).toContain('content-type: application/json');
    expect(JSON.parse(body)).toMatchObject({ code, detail: expect.any(String) });
  });
});
