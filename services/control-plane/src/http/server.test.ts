import { afterAll, describe, expect, it } from '@jest/globals';
import { RawConnection } from '@calls/testkit/raw-connection';
import { startHttpServer, type HttpServer } from './server.ts';

const SHORT = { headersMs: 200, requestMs: 400, idleMs: 300, connections: 20 };
/** Limits for tests of other limits, long enough for a busy machine. */
const LONG = { headersMs: 60_000, requestMs: 60_000, idleMs: 60_000, connections: 20 };
/** The short limits plus the delay of a busy machine; shorter than the default limits of Node.js. */
const SOON_MS = 50_000;
const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\n';

const start = (limits: typeof LONG): Promise<HttpServer> =>
  startHttpServer((request, response) => request.resume().on('end', () => response.end('done')), {
    ...{ port: 0, variable: 'PORT', limits },
  });
const hasty = await start(SHORT);
const patient = await start(LONG);
/** Only its limit of idle connections is short. */
const tidy = await start({ ...LONG, idleMs: SHORT.idleMs });
afterAll(async () => {
  for (const server of [hasty, patient, tidy]) await server[Symbol.asyncDispose]();
});

/** The status with which the server ends a connection that sends this text, then nothing or `more` repeatedly. */
async function statusOf(server: HttpServer, said: string, more = ''): Promise<number | null> {
  using connection = await RawConnection.open(server.port);
  connection.say(said);
  if (more !== '') connection.drip(more);
  return await connection.statusAtEnd();
}

describe('HTTP server', () => {
  it.each([
    ['sends nothing', '', ''],
    ['does not end a line', 'GET /', 'x'],
    ['sends endless headers', HEAD, 'a: b\r\n'],
    ['announces a body and sends none', `${HEAD}Content-Length: 10\r\n\r\n`, ''],
    ['sends a body byte by byte', `${HEAD}Content-Length: 100000\r\n\r\n`, 'x'],
    ['sends endless chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'],
    ['sends endless trailers', `${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'a: b\r\n'],
  ])('closes the connection of a client that %s', async (_, said, more) => {
    const startMs = performance.now();
    expect([408, null]).toContain(await statusOf(hasty, said, more));
    expect(performance.now() - startMs).toBeLessThan(SOON_MS);
  });

  it('closes idle connections', async () => {
    const startMs = performance.now();
    expect(await statusOf(tidy, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n')).toBe(200);
    expect(performance.now() - startMs).toBeGreaterThan(SHORT.idleMs - 100);
  });

  it('keeps idle connections longer than Node.js does by default', async () => {
    using connection = await RawConnection.open(patient.port);
    const get = 'GET / HTTP/1.1\r\nHost: x\r\n';
    await connection.say(`${get}\r\n${get}Connection: close\r\n\r\n`).closed;
    expect(connection.received).toContain(`Keep-Alive: timeout=${LONG.idleMs / 1000}\r\n`);
  });

  it.each([
    ['headers of more than 16 KiB', `${HEAD}a: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a request without Host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['two Content-Length headers', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`, 400],
    [
      'Content-Length with chunked encoding',
      `${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['two transfer encodings', `${HEAD}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, 400],
    ['a space before the colon', `${HEAD}Content-Length : 1\r\n\r\nx`, 400],
    ['bare line feeds', 'POST / HTTP/1.1\nHost: x\nContent-Length: 1\n\nx', 400],
    ['data that is not HTTP', '\x16\x03\x01\x02\x00\x01', 400],
  ])('rejects %s', async (_, said, status) => {
    expect(await statusOf(patient, said)).toBe(status);
  });

  it('closes connections above its limit, and accepts new ones once others have ended', async () => {
    const held = await Promise.all(
      Array.from({ length: LONG.connections }, () => RawConnection.open(patient.port)),
    );
    using beyond = await RawConnection.open(patient.port);
    expect(await beyond.say('GET / HTTP/1.1\r\nHost: x\r\n\r\n').statusAtEnd()).toBeNull();
    for (const connection of held) connection[Symbol.dispose]();
    // The server may count a connection for a moment after its client has closed it.
    let status: number | null = null;
    while (status === null)
      status = await statusOf(patient, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(status).toBe(200);
  });
});
