import { createServer as createTlsServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createOutboundHttp,
  type OutboundHttp,
  type OutboundRequest,
} from '@calls/outbound-http/outbound-http';
import { requireQuick } from '@calls/testkit/long-form';
import { eventually } from '../../support/eventually.ts';
import { Target } from './targets.ts';
import { TLS_CERTIFICATE, TLS_KEY } from './tls-identity.ts';

const LIMITS = { timeoutMs: 60_000, maxResponseBytes: 100_000 };

let client: OutboundHttp;
/** Echoes requests; `/to?<url>` redirects there with 307, `/loop` to itself. */
let echo: Target;

beforeEach(async () => {
  client = createOutboundHttp({
    allowPrivateNetworks: true,
    names: { addresses: () => Promise.resolve(['127.0.0.1']) },
  });
  echo = await Target.http((request, response) => {
    const [path, query] = request.url?.split('?') ?? [];
    if (path === '/to') response.writeHead(307, { location: query }).end();
    else if (path === '/loop') response.writeHead(302, { location: '/loop' }).end();
    else {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        response.writeHead(path === '/404' ? 404 : 200, { 'x-own': 'yes' });
        response.end(JSON.stringify({ method: request.method, headers: request.headers, body }));
      });
    }
  }).listen();
});
afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await echo[Symbol.asyncDispose]();
});

interface Echo {
  method: string;
  headers: Record<string, string>;
  body: string;
}

async function ask(request: Partial<OutboundRequest> & { url: string }): Promise<Echo & { url: string }> {
  const response = await client.request({ method: 'GET', ...LIMITS, ...request });
  return { ...(JSON.parse((await response.bytes()).toString()) as Echo), url: response.url };
}

describe('an outbound request', () => {
  it('sends method, headers and body and returns any status', async () => {
    const headers = { 'Content-Type': 'application/json', 'X-Api-Key': 'k' };
    const asked = await ask({ url: echo.url('/404?a=b'), method: 'POST', headers, body: '{"ü":1}' });
    expect(asked).toMatchObject({
      method: 'POST',
      body: '{"ü":1}',
      headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'content-length': '8' },
    });
    const response = await client.request({ method: 'HEAD', url: echo.url('/404'), ...LIMITS });
    expect(response).toMatchObject({ status: 404, headers: { 'x-own': 'yes' } });
    response.close();
  });

  it('ignores message framing headers of the caller', async () => {
    const headers = {
      Host: 'internal.test',
      'Content-Length': '100',
      'Transfer-Encoding': 'chunked',
      Connection: 'upgrade',
      Upgrade: 'websocket',
      'x-custom': '1',
    };
    const asked = await ask({ url: echo.url(), method: 'POST', headers, body: 'x' });
    expect(asked.headers).toMatchObject({
      host: `127.0.0.1:${echo.port}`,
      'content-length': '1',
      'x-custom': '1',
    });
    expect(asked.headers).not.toHaveProperty('transfer-encoding');
    expect(asked.headers).not.toHaveProperty('upgrade');
  });
});

describe('outbound redirects', () => {
  it('are returned unless following is enabled', async () => {
    const response = await client.request({ method: 'GET', url: echo.url('/loop'), ...LIMITS });
    expect(response).toMatchObject({ status: 302, headers: { location: '/loop' } });
    response.close();
  });

  it('are followed up to the limit', async () => {
    const url = echo.url('/loop');
    await expect(client.request({ method: 'GET', url, maxRedirects: 3, ...LIMITS })).rejects.toMatchObject({
      code: 'outbound_failed',
      retryable: false,
    });
    expect(echo.connections).toBe(4);
    await eventually(() => expect(echo.open).toBe(0));
  });

  it('preserve the body but drop authentication headers for other origins', async () => {
    const headers = { Authorization: 'Bearer x', 'X-Api-Key': 'k', 'Content-Type': 'text/plain' };
    const request = { method: 'POST', headers, body: 'body', maxRedirects: 2 } as const;
    const same = await ask({ url: echo.url('/to?/here'), ...request });
    expect(same).toMatchObject({ body: 'body', headers: { authorization: 'Bearer x', 'x-api-key': 'k' } });
    expect(same.url).toBe(echo.url('/here'));
    const elsewhere = echo.url('/there', 'other.test');
    const other = await ask({ url: echo.url(`/to?${elsewhere}`), ...request });
    expect(other).toMatchObject({ body: 'body', url: elsewhere, headers: { 'content-type': 'text/plain' } });
    expect(other.headers).not.toHaveProperty('authorization');
    expect(other.headers).not.toHaveProperty('x-api-key');
  });
});

describe('outbound TLS', () => {
  it('verifies the requested host name and never downgrades to http', async () => {
    const server = createTlsServer({ key: TLS_KEY, cert: TLS_CERTIFICATE }, (_request, response) => {
      response.writeHead(302, { location: echo.url() }).end('secure');
    });
    await using secure = await new Target(server).listen();
    const request = (host: string, maxRedirects = 0): Promise<unknown> =>
      client.request({ method: 'GET', url: `https://${host}:${secure.port}/`, maxRedirects, ...LIMITS });
    await expect(request('secure.test')).rejects.toMatchObject({ code: 'outbound_failed' });
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, TLS_CERTIFICATE]);
    try {
      await expect(request('secure.test')).resolves.toMatchObject({ status: 302 });
      await expect(request('other.test')).rejects.toThrow('ERR_TLS_CERT_ALTNAME_INVALID');
      await expect(request('secure.test', 1)).rejects.toMatchObject({ rule: 'downgrade' });
      expect(echo.connections).toBe(0);
    } finally {
      setDefaultCACertificates(trusted);
    }
  });
});

describe('outbound connections', () => {
  it('are reused, and closed when a response is not read completely', async () => {
    for (let i = 0; i < 100; i += 1) await ask({ url: echo.url() });
    expect(echo.connections).toBe(1);
    await using endless = await Target.http((_request, response) => {
      const more = (): void => {
        while (response.write('x'.repeat(1000)));
      };
      response.on('drain', more);
      more();
    }).listen();
    const response = await client.request({ method: 'GET', url: endless.url(), ...LIMITS });
    for await (const chunk of response.body) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    (await client.request({ method: 'GET', url: endless.url(), ...LIMITS })).close();
    await eventually(() => expect(endless.open).toBe(0));
    await client[Symbol.asyncDispose]();
    await eventually(() => expect(echo.open).toBe(0));
    await expect(ask({ url: echo.url() })).rejects.toMatchObject({ code: 'outbound_failed' });
  });

  it('can be aborted at the last chunk of a response', async () => {
    for (let i = 0; i < 3; i += 1) {
      const leaving = new AbortController();
      const response = await client.request({
        method: 'GET',
        url: echo.url(),
        ...LIMITS,
        signal: leaving.signal,
      });
      const chunk = await response.body[Symbol.asyncIterator]().next();
      leaving.abort();
      expect(chunk.done).toBe(false);
      // An unhandled error event would end the process now.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await ask({ url: echo.url() })).toMatchObject({ method: 'GET' });
  });

  it('are limited per unresponsive origin without delaying others', async () => {
    await using dead = await Target.raw(() => undefined).listen();
    const startMs = performance.now();
    const lost = Array.from({ length: 200 }, () => ask({ url: dead.url(), timeoutMs: 4000 }));
    const outcomes = Promise.allSettled(lost);
    await eventually(() => expect(dead.open).toBe(32));
    await ask({ url: echo.url() });
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'outbound_timeout' } });
    }
    // One after the other, they would take seven times the limit of a single request.
    requireQuick(performance.now() - startMs, 8000);
    await eventually(() => expect(dead.open).toBe(0));
    // Each aborted request frees its connection; the old one may still close while the new one opens.
    expect(dead.maxOpen).toBeLessThanOrEqual(2 * 32);
  });

  it('serve all queued requests of a slow origin', async () => {
    await using slow = await Target.http((_request, response) => {
      setTimeout(() => response.end('{}'), 20);
    }).listen();
    await Promise.all(Array.from({ length: 200 }, () => ask({ url: slow.url() })));
    expect(slow.maxOpen).toBeLessThanOrEqual(32);
  });

  it('reject requests when the queue is full and end all when the client closes', async () => {
    await using dead = await Target.raw(() => undefined).listen();
    const outcomes = Promise.allSettled(
      Array.from({ length: 2001 }, () => ask({ url: dead.url(), timeoutMs: 60_000 })),
    );
    await eventually(() => expect(dead.open).toBe(32));
    await client[Symbol.asyncDispose]();
    const messages = (await outcomes).map((outcome) =>
      outcome.status === 'rejected' ? (outcome.reason as Error).message : 'answered',
    );
    expect(messages.pop()).toBe('too many concurrent requests');
    expect(new Set(messages)).toEqual(new Set(['the client was closed']));
    await eventually(() => expect(dead.open).toBe(0));
  });
});
