import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from '@jest/globals';
import { operations } from '@calls/api-contract/operations';
import type { AnyOperation } from '@calls/api-contract/operations/operation';
import { silentLogger } from '@calls/foundation/logger';
import { MAX_BODY_VALUES } from '@calls/foundation/schema/count-values';
import { createMetrics } from '@calls/telemetry/metrics';
import express, { type RequestHandler } from 'express';
import { bodyParsers, isLarge } from './body-parsers.ts';
import { closeSignal } from './body-reader.ts';
import { errorHandler } from './error-handler.ts';

const small = operationWith((operation) => !isLarge(operation));
const large = operationWith(isLarge);
const held = Promise.withResolvers<AbortSignal>();

function operationWith(fits: (operation: AnyOperation) => boolean): AnyOperation {
  const found = operations.find((each: AnyOperation) => each.body && !each.otherBodies && fits(each));
  if (!found) throw new Error('no such operation');
  return found;
}

const app = express();
const done: RequestHandler = (_request, response) => void response.json('read');
app.post('/small', ...bodyParsers(small), done);
app.post('/large', ...bodyParsers(large), done);
app.post('/held', (_request, response) => held.resolve(closeSignal(response)));
app.use(errorHandler(silentLogger, createMetrics({ service: 'test' })));
const server = createServer(app).listen(0);
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(async () => {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
});

async function statusOf(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<number> {
  const response = await fetch(url + path, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  await response.arrayBuffer();
  return response.status;
}

it('body parsers reject JSON in a charset other than UTF-8', async () => {
  const list = JSON.stringify(Array.from({ length: MAX_BODY_VALUES + 1 }, () => 0));
  expect(await statusOf('/small', list)).toBe(413);
  for (const charset of ['utf-16le', 'utf-16', 'utf-7']) {
    const type = { 'Content-Type': `application/json; charset=${charset}` };
    expect(await statusOf('/small', Buffer.from(list, 'utf16le'), type)).toBe(415);
  }
  expect(await statusOf('/small', '[]', { 'Content-Type': 'application/json; charset=UTF-8' })).toBe(200);
});

it('body parsers reject compressed bodies of operations that accept large bodies', async () => {
  const packed = { 'Content-Encoding': 'gzip' };
  expect(await statusOf('/large', gzipSync('{}'), packed)).toBe(415);
  expect(await statusOf('/large', '{}')).toBe(200);
  expect(await statusOf('/small', gzipSync('{}'), packed)).toBe(200);
});

it('closeSignal aborts when the client closes the connection', async () => {
  const abort = new AbortController();
  const request = fetch(`${url}/held`, { method: 'POST', signal: abort.signal });
  const signal = await held.promise;
  expect(signal.aborted).toBe(false);
  abort.abort();
  await expect(request).rejects.toThrow();
  if (!signal.aborted) await once(signal, 'abort');
  expect(signal.reason).toMatchObject({ status: 499 });
});
