import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ApiError } from '@calls/api-contract/rest/common';
import { RawConnection } from '@calls/testkit/raw-connection';
import { ControlPlaneHarness } from '../../support/control-plane-harness.ts';

const MEBIBYTE = 1024 * 1024;
const json = { 'Content-Type': 'application/json' };

const harness = await ControlPlaneHarness.start();
const account = await harness.account();
const port = Number(new URL(harness.url).port);
afterAll(() => harness.stop());

/** Sends exactly this text and reads until the connection closes. */
async function answerTo(...said: (string | Uint8Array)[]): Promise<{ status: number | null; text: string }> {
  using connection = await RawConnection.open(port);
  for (const part of said) connection.say(part);
  return { status: await connection.statusAtEnd(), text: connection.received };
}

/** Returns the response to a client that sends everything before it reads. */
async function answerAfter(said: string, body: Uint8Array): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.pause();
  socket.write(said);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(body, (failure) => (failure ? reject(failure) : resolve()));
  });
  return text(socket);
}

const head = (path: string, ...headers: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: x', `X-API-Key: ${account.key}`, ...headers, '', ''].join('\r\n');

describe('every response', () => {
  const withoutKey = { headers: { 'X-API-Key': '' } };
  it.each([
    ['a page', '/', {}],
    ['the API reference', '/docs/api', {}],
    ['a script of the API reference', '/docs/api/openapi-explorer.min.js', {}],
    ['a page of the documentation', '/docs/', {}],
    ['a page of the documentation that does not exist', '/docs/none', {}],
    ['the API description', '/api/schema/', {}],
    ['health', '/healthz', {}],
    ['a list', '/api/calls', {}],
    ['401', '/api/calls', withoutKey],
    ['404', '/api/calls/none', {}],
    ['an unknown path', '/.git/config', {}],
    ['a path traversal', '/docs/..%2f..%2fpackage.json', {}],
    ['a path with a NUL character', '/docs/%00', {}],
    ['a malformed path', '/docs/%zz', {}],
  ])('has security headers for browsers: %s', async (_, path, init) => {
    const response = await fetch(`${harness.url}${path}`, { headers: { 'X-API-Key': account.key }, ...init });
    const { headers } = response;
    await response.arrayBuffer();
    expect(response.status).toBeLessThan(500);
    expect(headers.get('Content-Security-Policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/u);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('X-Frame-Options')).toBe('DENY');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
    expect(headers.has('X-Powered-By')).toBe(false);
    expect(headers.has('Server')).toBe(false);
    // The server is reached over http.
    expect(headers.has('Strict-Transport-Security')).toBe(false);
  });

  it('of the API disables caching', async () => {
    const { headers } = await account.request('/api/calls');
    expect(headers.get('Cache-Control')).toBe('no-store');
  });

  it('has an HSTS header when the service is reached over https', async () => {
    const secure = await harness.addReplica({}, { publicUrl: 'https://calls.example' });
    const { headers } = await account.request(`${secure}/api/calls`);
    expect(headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
  });
});

describe('a request body', () => {
  const tooLarge = { status: 413, text: expect.stringContaining('"code":"too_large"') as unknown };
  const calls = (...headers: string[]): string =>
    head('/api/calls', 'Content-Type: application/json', ...headers);

  it('is rejected before it is sent when its announced length is too large', async () => {
    const answers = [MEBIBYTE + 1, 10 ** 15].map((bytes) => answerTo(calls(`Content-Length: ${bytes}`)));
    expect(await Promise.all(answers)).toMatchObject([tooLarge, tooLarge]);
  });

  it('is rejected when a body without announced length exceeds the limit', async () => {
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    expect(await answerTo(calls('Transfer-Encoding: chunked'), chunk.repeat(17))).toMatchObject(tooLarge);
  });

  it('is rejected when its decompressed size exceeds the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MEBIBYTE, ' '));
    expect(bomb.length).toBeLessThan(MEBIBYTE);
    const said = calls('Content-Encoding: gzip', `Content-Length: ${bomb.length}`, 'Connection: close');
    expect(await answerTo(said, bomb)).toMatchObject(tooLarge);
  });

  it.each(['gzip', 'deflate', 'br'])(
    'is rejected when it is not what the Content-Encoding %s says',
    async (encoding) => {
      const headers = { ...json, 'Content-Encoding': encoding };
      expect(await account.request('/api/calls', { method: 'POST', headers, body: '{}' })).toMatchObject({
        status: 400,
        body: {
          code: 'malformed_request',
          detail: expect.stringMatching(/^The request body does not match its Content-Encoding: .+[^.]\.$/u),
        },
      });
    },
  );

  it('is received after it is rejected, so that clients that read only afterwards get the response', async () => {
    const bytes = 8 * MEBIBYTE;
    const heads = {
      413: calls(`Content-Length: ${bytes}`, 'Connection: close'),
      401: calls(`Content-Length: ${bytes}`, 'Connection: close').replace(account.key, 'x'),
      415: head('/api/calls', `Content-Length: ${bytes}`, 'Connection: close', 'Content-Type: text/plain'),
      404: head('/api/none', `Content-Length: ${bytes}`, 'Connection: close'),
    };
    for (const [status, said] of Object.entries(heads)) {
      expect(await answerAfter(said, Buffer.alloc(bytes, ' '))).toContain(`HTTP/1.1 ${status}`);
    }
    const chunk = Buffer.from(`10000\r\n${' '.repeat(65_536)}\r\n`);
    const chunks = Buffer.concat([...Array.from({ length: 128 }, () => chunk), Buffer.from('0\r\n\r\n')]);
    const chunked = calls('Transfer-Encoding: chunked', 'Connection: close');
    expect(await answerAfter(chunked, chunks)).toContain('HTTP/1.1 413');
  });

  it('may be large only for scheduled batches and only with an API key', async () => {
    const agent = await account.post<{ agentId: string }>('/api/agents', { callTemplate: {} });
    const path = `/api/agents/${agent.body.agentId}/scheduled_batches`;
    const body = JSON.stringify({ calls: [{ metadata: { much: 'x'.repeat(2 * MEBIBYTE) } }] });
    // The body is read, but one field is too long.
    expect(await account.request(path, { method: 'POST', headers: json, body })).toMatchObject({
      status: 400,
    });
    expect(await account.request('/api/calls', { method: 'POST', headers: json, body })).toMatchObject({
      status: 413,
    });
    const beyond = head(path, 'Content-Type: application/json', `Content-Length: ${32 * MEBIBYTE + 1}`);
    expect(await answerTo(beyond)).toMatchObject(tooLarge);
    const stranger = head(path, `Content-Length: ${MEBIBYTE}`, 'Connection: close').replace(account.key, 'x');
    expect(await answerTo(stranger)).toMatchObject({ status: 401 });
  });

  it('is rejected when it is deeply nested or contains names of inherited properties', async () => {
    const bodies = [
      '['.repeat(10_000),
      `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
      '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}',
    ];
    for (const body of bodies) {
      expect(await account.request('/api/calls', { method: 'POST', headers: json, body })).toMatchObject({
        status: 400,
      });
    }
    expect(Object.prototype).not.toHaveProperty('isAdmin');
  });
});

describe('unknown API keys', () => {
  const unknown = (): string => {
    const text = randomBytes(20).toString('hex');
    return `${text.slice(0, 8)}.${text.slice(8)}`;
  };
  const ask = async (url: string, key: string, from: string) => {
    const headers = { 'X-API-Key': key, 'X-Forwarded-For': from };
    const response = await fetch(`${url}/api/models`, { headers });
    return { response, body: (await response.json()) as ApiError };
  };
  const statuses = (url: string, count: number, from: string): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, async () => (await ask(url, unknown(), from)).response.status));

  it('get 401 sixty times a minute per address and then 429, without affecting valid keys', async () => {
    const url = await harness.addReplica({}, { trustedProxies: 1 });
    const known = await harness.account();
    const first = await statuses(url, 100, '192.0.2.1');
    expect(first.filter((status) => status === 401)).toHaveLength(60);
    expect(first.filter((status) => status === 429)).toHaveLength(40);
    const refused = await ask(url, unknown(), '192.0.2.1');
    expect(refused).toMatchObject({ response: { status: 429 }, body: { code: 'api_rate' } });
    expect(Number(refused.response.headers.get('Retry-After'))).toBeGreaterThan(30);
    // The client added an address in front of the one that the proxy adds.
    expect((await ask(url, unknown(), '192.0.2.7, 192.0.2.1')).response.status).toBe(429);
    expect((await ask(url, known.key, '192.0.2.1')).response.status).toBe(200);
    expect((await ask(url, account.key, '192.0.2.2')).response.status).toBe(200);
    expect((await ask(url, unknown(), '192.0.2.2')).response.status).toBe(401);
    // Keys of the wrong format do not count.
    expect((await ask(url, 'x', '192.0.2.1')).response.status).toBe(401);
  });

  it('are counted by connection address, ignoring headers, when no proxy is trusted', async () => {
    const url = await harness.addReplica({}, { trustedProxies: 0 });
    // All clients share the address of an untrusted proxy, and most keys are used for the first time.
    const valid = await Promise.all(Array.from({ length: 5 }, () => harness.account()));
    const flood = statuses(url, 300, '192.0.2.1');
    const served = await Promise.all(valid.map(({ key }) => ask(url, key, '192.0.2.2')));
    expect(served.map(({ response }) => response.status)).toEqual(valid.map(() => 200));
    await flood;
    expect((await ask(url, (await harness.account()).key, '192.0.2.3')).response.status).toBe(200);
    expect((await ask(url, unknown(), '192.0.2.99')).response.status).toBe(429);
  });
});
