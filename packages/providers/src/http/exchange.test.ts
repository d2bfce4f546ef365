import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { closeServer } from '@calls/foundation/listen';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';
import { createConnectionPool, type ConnectionPool } from './connection-pool.ts';
import { HttpExchange, type ExchangeRequest } from './exchange.ts';

const LIMIT_MS = 1000;

describe('HttpExchange', () => {
  let server: Server;
  let pool: ConnectionPool;
  let clock: VirtualClock;
  let handler: RequestListener;
  let connections: number;
  let requests: number;

  beforeEach(async () => {
    connections = 0;
    requests = 0;
    clock = new VirtualClock();
    pool = createConnectionPool();
    server = createServer((request, response) => {
      requests += 1;
      request.resume();
      handler(request, response);
    });
    server.on('connection', () => (connections += 1));
    await listenOnLoopback(server);
  });

  afterEach(async () => {
    await pool[Symbol.asyncDispose]();
    await closeServer(server);
  });

  const urlOf = (listening: { address(): unknown }, scheme = 'http'): URL =>
    new URL(`${scheme}://127.0.0.1:${(listening.address() as AddressInfo).port}/path`);
  const start = (request: Partial<ExchangeRequest> = {}): HttpExchange =>
    new HttpExchange(
      { clock, pool },
      {
        provider: 'test',
        url: urlOf(server),
        headers: {},
        body: [Buffer.from('one '), Buffer.from('two')],
        confidential: [],
        connectTimeoutMs: LIMIT_MS,
        signal: new AbortController().signal,
        ...request,
      },
    );
  const deadline = () => ({ atMs: clock.nowMs() + LIMIT_MS, message: 'too slow' });
  const readAll = async (exchange: HttpExchange): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for (let part = await exchange.read(deadline()); part; part = await exchange.read(deadline()))
      parts.push(part);
    return Buffer.concat(parts);
  };

  it('sends the body with its length, and returns the headers and the bytes of the response', async () => {
    let seen = '';
    handler = (request, response) => {
      request.on('data', (chunk: Buffer) => (seen += chunk.toString()));
      request.on('end', () =>
        response.setHeader('x-kind', 'reply').end(`${request.headers['content-length'] ?? ''} bytes`),
      );
    };
    const exchange = start();
    expect(await exchange.head(deadline())).toMatchObject({ 'x-kind': 'reply' });
    expect((await readAll(exchange)).toString()).toBe('7 bytes');
    exchange.close();
    expect(seen).toBe('one two');
    expect(clock.pendingTimers).toBe(0);
  });

  it('yields to the event loop after it has read buffered bytes for 5 ms', async () => {
    handler = (_request, response) => {
      for (const text of ['a', 'b', 'c']) response.write(text);
      response.end();
    };
    const exchange = start();
    await exchange.head(deadline());
    const hasOtherRun = async (text: string): Promise<boolean> => {
      let hasRun = false;
      setImmediate(() => (hasRun = true));
      expect(String(await exchange.read(deadline()))).toBe(text);
      return hasRun;
    };
    expect([await hasOtherRun('a'), await hasOtherRun('b')]).toEqual([false, false]);
    await clock.advance(5);
    expect(await hasOtherRun('c')).toBe(true);
    exchange.close();
  });

  it('retries a request on a new connection when a reused connection closes before the response', async () => {
    handler = (request, response) => {
      if (requests === 2) request.socket.destroy();
      else response.end('fine');
    };
    await readAll(start());
    expect((await readAll(start())).toString()).toBe('fine');
    expect({ requests, connections }).toEqual({ requests: 3, connections: 2 });
  });

  it('retries on a new connection even when other idle connections are open', async () => {
    const stale = new Set<unknown>();
    const first: ServerResponse[] = [];
    handler = (request, response) => {
      if (stale.has(request.socket)) request.socket.destroy();
      else if (requests > 3) response.end('fine');
      else if (first.push(response) === 3) for (const each of first) each.end('fine');
      stale.add(request.socket);
    };
    await Promise.all([readAll(start()), readAll(start()), readAll(start())]);
    expect((await readAll(start())).toString()).toBe('fine');
    expect({ requests, connections }).toEqual({ requests: 5, connections: 4 });
  });

  it('does not retry a request twice', async () => {
    handler = (request, response) => {
      if (requests === 1) response.end('fine');
      else request.socket.destroy();
    };
    await readAll(start());
    await expect(start().head(deadline())).rejects.toMatchObject({ kind: 'unreachable' });
    expect(requests).toBe(3);
  });

  it('does not retry a request that failed on a new connection', async () => {
    handler = (request) => request.socket.destroy();
    await expect(start().head(deadline())).rejects.toMatchObject({ kind: 'unreachable' });
    expect(requests).toBe(1);
  });

  it('does not retry a request after the response has begun', async () => {
    handler = (request, response) => {
      if (requests === 1) {
        response.end('fine');
        return;
      }
      response.writeHead(200);
      response.write('half');
      setImmediate(() => request.socket.destroySoon());
    };
    await readAll(start());
    const exchange = start();
    await exchange.head(deadline());
    await expect(readAll(exchange)).rejects.toMatchObject({ kind: 'cut' });
    expect(requests).toBe(2);
  });

  it('applies backpressure to the sender when the reader is slow, and loses no data', async () => {
    const total = 64 * 1024 * 1024;
    let sent = 0;
    handler = (_request, response) => {
      const piece = Buffer.alloc(64 * 1024, 7);
      const more = (): void => {
        while (sent < total) {
          sent += piece.length;
          if (!response.write(piece)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    };
    const exchange = start();
    await exchange.head(deadline());
    await new Promise((resolve) => setTimeout(resolve, 200));
    // How much the two sockets buffer depends on the system, but it is not the whole response.
    expect(sent).toBeLessThan(total / 2);
    expect(await readAll(exchange)).toHaveLength(total);
  });

  it('fails with the message of the deadline when no headers arrive, and closes the connection', async () => {
    handler = () => undefined;
    const exchange = start();
    const closed = new Promise((resolve) =>
      server.once('connection', (socket) => socket.once('close', resolve)),
    );
    const head = exchange.head(deadline());
    const checked = expect(head).rejects.toMatchObject({ kind: 'timeout', message: 'test: too slow' });
    await once(server, 'request');
    await clock.advance(LIMIT_MS);
    await checked;
    await closed;
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not count time against the provider while no read is pending', async () => {
    handler = (_request, response) => {
      response.write('first');
      setTimeout(() => response.end('second'), 20);
    };
    const exchange = start();
    await exchange.head(deadline());
    expect((await exchange.read(deadline()))?.toString()).toBe('first');
    await clock.advance(3_600_000);
    expect((await readAll(exchange)).toString()).toBe('second');
  });

  it('fails when the connection is not established within its limit', async () => {
    const silent = createTcpServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const exchange = start({ url: urlOf(silent, 'https'), connectTimeoutMs: 500 });
    const checked = expect(exchange.head(deadline())).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'test: no connection within 500 ms',
    });
    const [accepted] = (await once(silent, 'connection')) as [Socket];
    await clock.advance(500);
    await checked;
    accepted.destroy();
    silent.close();
  });

  it('reports how long the provider asks to wait', async () => {
    handler = (_request, response) => response.writeHead(429, { 'retry-after': '7' }).end();
    await expect(start().head(deadline())).rejects.toMatchObject({ kind: 'refused', retryAfterMs: 7000 });
  });

  it('reports status and message of a refusal, truncated and without confidential text', async () => {
    handler = (_request, response) => {
      response.writeHead(422);
      response.end(
        JSON.stringify({ error: { message: `can't say "my secret words"\n${'x'.repeat(10_000)}` } }),
      );
    };
    const error = await start({ confidential: ['my secret words'] })
      .head(deadline())
      .catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ kind: 'refused', retryable: false });
    const { message } = error as Error;
    expect(message).toContain(`status 422: `);
    expect(message).not.toContain('secret');
    expect(message.length).toBeLessThan(250);
  });

  it('does not follow redirects', async () => {
    handler = (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
    await expect(start().head(deadline())).rejects.toMatchObject({
      kind: 'refused',
      message: 'test: status 302',
    });
  });

  it('returns no buffered data after an abort', async () => {
    handler = (_request, response) => response.end('everything');
    const controller = new AbortController();
    const exchange = start({ signal: controller.signal });
    await exchange.head(deadline());
    await new Promise((resolve) => setTimeout(resolve, 20));
    const reason = new Error('over');
    controller.abort(reason);
    await expect(exchange.read(deadline())).rejects.toBe(reason);
  });

  it('reuses the connection of a released response that ends, and closes that of one that does not end', async () => {
    handler = (_request, response) => {
      response.write('a');
      if (requests === 1) setTimeout(() => response.end('b'), 20);
    };
    const first = start();
    await first.head(deadline());
    first.release();
    while (clock.pendingTimers > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const closed = new Promise((resolve) =>
      server.once('request', (request) => request.socket.once('close', resolve)),
    );
    const second = start();
    await second.head(deadline());
    expect(connections).toBe(1);
    second.release();
    await clock.advance(LIMIT_MS);
    await closed;
    expect(clock.pendingTimers).toBe(0);
  });
});
