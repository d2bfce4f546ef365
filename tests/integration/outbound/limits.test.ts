import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { createOutboundHttp, type OutboundRequest } from '@calls/outbound-http/outbound-http';
import { requireQuick } from '@calls/testkit/long-form';
import { eventually } from '../../support/eventually.ts';
import { Target } from './targets.ts';

const MAX_BYTES = 1_000_000;
const TIMEOUT_MS = 400;
const TIMED_OUT = { code: 'outbound_timeout', retryable: true };
const TOO_LARGE = { code: 'outbound_too_large', retryable: false };
const FAILED = { code: 'outbound_failed' };

let target: Target;

const client = createOutboundHttp({ allowPrivateNetworks: ['127.0.0.0/8'] });
afterEach(async () => {
  await target[Symbol.asyncDispose]();
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
});

function get(options: Partial<OutboundRequest> = {}): OutboundRequest {
  return {
    method: 'GET',
    url: options.url ?? target.url(),
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_BYTES,
    ...options,
  };
}

async function read(options: Partial<OutboundRequest> = {}): Promise<Buffer> {
  const response = await client.request(get(options));
  return response.bytes();
}

async function serve(handler: RequestListener): Promise<void> {
  target = await Target.http(handler).listen();
}

/** Sends `head`, then `piece` every 20 ms until the connection closes. */
async function drip(head: Buffer | string, piece: Buffer | string): Promise<void> {
  target = await Target.raw((socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(piece), 20);
    socket.on('close', () => clearInterval(timer));
  }).listen();
}

/** Sends `head`, then `piece` as fast as the client reads. */
async function flood(head: Buffer | string, piece: Buffer | string): Promise<{ bytes: () => number }> {
  let bytes = 0;
  target = await Target.raw((socket: Socket) => {
    socket.write(head);
    const more = (): void => {
      do bytes += piece.length;
      while (socket.writable && socket.write(piece));
    };
    socket.on('drain', more);
    more();
  }).listen();
  return { bytes: () => bytes };
}

async function expectNoSockets(): Promise<void> {
  await eventually(() => expect(target.open).toBe(0));
}

const OK = 'HTTP/1.1 200 OK\r\n';
/** Endless compressed data without content: empty blocks, none of them final. */
const GZIP_HEAD = Buffer.concat([
  Buffer.from(`${OK}content-encoding: gzip\r\n\r\n`),
  gzipSync('').subarray(0, 10),
]);
const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff]);
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`;

describe('outbound time limits', () => {
  it.each([
    ['no data', '', ''],
    ['a slow status line', 'H', ''],
    ['slow headers', OK, 'a: b\r\n'],
    ['a header that never ends', `${OK}a: `, 'x'],
    ['endless provisional responses', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['a slow body', `${OK}content-length: 100000\r\n\r\n`, 'x'],
    ['slow chunks', CHUNKED, '1\r\nx\r\n'],
    ['a slow compressed body', GZIP_HEAD, EMPTY_BLOCK],
    ['slow trailers', `${CHUNKED}0\r\n`, 'a: b\r\n'],
  ])('end a response with %s', async (_, head, piece) => {
    await drip(head, piece);
    const startMs = performance.now();
    await expect(read()).rejects.toMatchObject(TIMED_OUT);
    requireQuick(performance.now() - startMs, TIMEOUT_MS + 4000);
    await expectNoSockets();
  });

  it('end a DNS lookup without response', async () => {
    await serve((_request, response) => response.end());
    const deaf = createOutboundHttp({
      allowPrivateNetworks: true,
      names: { addresses: () => new Promise(() => undefined) },
    });
    await expect(deaf.request(get({ url: target.url('/', 'slow.test') }))).rejects.toMatchObject(TIMED_OUT);
    expect(target.connections).toBe(0);
  });

  it('apply to all redirects together', async () => {
    await serve((_request, response) => {
      setTimeout(() => response.writeHead(302, { location: '/' }).end(), 90);
    });
    await expect(read({ maxRedirects: 100 })).rejects.toMatchObject(TIMED_OUT);
    await expectNoSockets();
  });

  it('end a response that the caller does not read', async () => {
    await drip(CHUNKED, '1\r\nx\r\n');
    const response = await client.request(get({ timeoutMs: 5 * TIMEOUT_MS }));
    expect(response.status).toBe(200);
    await expectNoSockets();
    await expect(response.bytes()).rejects.toMatchObject(TIMED_OUT);
  });

  it('do not prevent the signal of the caller from aborting with its reason at any time', async () => {
    await drip(CHUNKED, '1\r\nx\r\n');
    const reason = new Error('call ended');
    await expect(client.request(get({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    const during = new AbortController();
    const response = await client.request(get({ signal: during.signal, timeoutMs: 60_000 }));
    const reading = response.bytes();
    during.abort(reason);
    await expect(reading).rejects.toBe(reason);
    const before = new AbortController();
    const waiting = client.request(get({ signal: before.signal, timeoutMs: 60_000 }));
    before.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expectNoSockets();
  });
});

describe('outbound size limits', () => {
  const timeoutMs = 60_000;

  it.each([
    ['an endless body', CHUNKED, `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`],
    ['a body without length', `${OK}\r\n`, 'x'.repeat(65_536)],
    ['a body of a petabyte', `${OK}content-length: 1000000000000000\r\n\r\n`, 'x'.repeat(65_536)],
    [
      'endless compressed blocks without content',
      GZIP_HEAD,
      Buffer.concat(Array<Buffer>(1000).fill(EMPTY_BLOCK)),
    ],
  ])('cut off %s', async (_, head, piece) => {
    const sent = await flood(head, piece);
    await expect(read({ timeoutMs })).rejects.toMatchObject(TOO_LARGE);
    await expectNoSockets();
    // Only data that was already in socket buffers has been sent.
    expect(sent.bytes()).toBeLessThan(30 * MAX_BYTES);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('end decompression of a %s bomb at the limit', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(64 * MAX_BYTES));
    expect(bomb.length).toBeLessThan(MAX_BYTES / 10);
    await serve((_request, response) => response.setHeader('content-encoding', encoding).end(bomb));
    const response = await client.request(get({ timeoutMs }));
    let bytes = 0;
    const reading = async (): Promise<void> => {
      for await (const chunk of response.body) bytes += chunk.length;
    };
    await expect(reading()).rejects.toMatchObject(TOO_LARGE);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('accept a body of exactly the limit and reject one more byte', async () => {
    await serve((request, response) => response.end(Buffer.alloc(Number(request.url?.slice(1)))));
    expect(await read({ url: target.url(`/${MAX_BYTES}`), timeoutMs })).toHaveLength(MAX_BYTES);
    await expect(read({ url: target.url(`/${MAX_BYTES + 1}`), timeoutMs })).rejects.toMatchObject(TOO_LARGE);
  });

  it.each([
    ['one long header', `${OK}a: ${'x'.repeat(20_000)}\r\n\r\n`, 'x'.repeat(1000)],
    ['endless headers', OK, `a: ${'x'.repeat(1000)}\r\n`],
    ['an endless header', `${OK}a: `, 'x'.repeat(1000)],
    ['an endless status line', 'HTTP/1.1 200 ', 'x'.repeat(1000)],
  ])('reject a response head with %s', async (_, head, piece) => {
    await flood(head, piece);
    await expect(read({ timeoutMs })).rejects.toMatchObject(TOO_LARGE);
    await expectNoSockets();
  });

  it('allow compressed responses, including empty ones', async () => {
    await serve((request, response) => {
      const [, encoding = '', status = '200'] = request.url?.split('/') ?? [];
      const text = JSON.stringify(request.headers['accept-encoding']);
      const body = encoding === 'br' ? brotliCompressSync(text) : gzipSync(text);
      response.writeHead(Number(status), { 'content-encoding': encoding });
      response.end(status === '200' ? body : undefined);
    });
    for (const encoding of ['gzip', 'x-gzip', 'br']) {
      expect((await read({ url: target.url(`/${encoding}`), timeoutMs })).toString()).toBe('"gzip, br"');
    }
    expect(await read({ method: 'HEAD', url: target.url('/gzip'), timeoutMs })).toHaveLength(0);
    expect(await read({ url: target.url('/gzip/204'), timeoutMs })).toHaveLength(0);
    expect(await read({ url: target.url('/gzip/500'), timeoutMs })).toHaveLength(0);
    await expect(read({ url: target.url('/compress'), timeoutMs })).rejects.toMatchObject(FAILED);
  });

  it.each(['UTF-8', 'none', 'identity'])(
    'read a body with the Content-Encoding %s as it is',
    async (encoding) => {
      await serve((_request, response) => response.setHeader('content-encoding', encoding).end('text'));
      expect((await read({ timeoutMs })).toString()).toBe('text');
    },
  );
});

describe('invalid outbound responses', () => {
  const timeoutMs = 60_000;
  it.each([
    ['an empty response', ''],
    ['data that is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['an incomplete body', `${OK}content-length: 10\r\n\r\nhalf`],
    ['an incomplete chunk', `${CHUNKED}10\r\nhalf`],
    ['two Content-Length headers', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nxx`],
    ['invalid gzip data', `${OK}content-encoding: gzip\r\nconnection: close\r\n\r\nplain`],
    [
      'incomplete gzip data',
      `${OK}content-encoding: gzip\r\nconnection: close\r\n\r\n${gzipSync('x').toString('latin1').slice(0, 12)}`,
    ],
  ])('are reported as failures: %s', async (_, text) => {
    target = await Target.raw((socket) => {
      socket.once('data', () => socket.end(text, 'latin1'));
    }).listen();
    await expect(read({ timeoutMs })).rejects.toMatchObject(FAILED);
    await expectNoSockets();
  });

  it('are distinguished from refused connections, which can be retried', async () => {
    await serve((_request, response) => response.end());
    const url = target.url();
    await target[Symbol.asyncDispose]();
    await expect(read({ url, timeoutMs })).rejects.toMatchObject({ ...FAILED, retryable: true });
    await serve((_request, response) => response.end());
  });

  it('say that the TLS handshake failed', async () => {
    await serve((_request, response) => response.end());
    const url = target.url().replace('http:', 'https:');
    await expect(read({ url, timeoutMs })).rejects.toMatchObject({
      ...FAILED,
      message: 'the TLS handshake failed',
    });
  });

  it('are distinguished from invalid request headers, which are not sent', async () => {
    await serve((_request, response) => response.end());
    await expect(read({ headers: { 'x-a': 'b\r\nx-c: d' }, timeoutMs })).rejects.toMatchObject({
      ...FAILED,
      retryable: false,
    });
    await expect(read({ headers: { 'x a': 'b' }, timeoutMs })).rejects.toMatchObject(FAILED);
    expect(target.connections).toBe(0);
  });
});
