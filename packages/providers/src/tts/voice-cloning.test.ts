import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { closeServer } from '@calls/foundation/listen';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';
import { createConnectionPool, type ConnectionPool } from '../http/connection-pool.ts';
import { CLONING_TIMEOUT_MS, createCloneVoice } from './voice-cloning.ts';

const sample = {
  name: 'Me',
  description: null,
  language: 'en',
  audio: Buffer.from('audio'),
  mimeType: 'audio/wav',
  extension: 'wav',
};

let server: Server;
let pool: ConnectionPool;
let url: string;

beforeEach(async () => {
  server = createServer((request) => request.resume());
  pool = createConnectionPool();
  const port = await listenOnLoopback(server);
  url = `http://127.0.0.1:${port}`;
});
afterEach(async () => {
  await pool[Symbol.asyncDispose]();
  await closeServer(server);
});

it('voice cloning fails with "timeout" when the vendor does not respond in time, and closes the connection', async () => {
  const clock = new VirtualClock();
  const cloneVoice = createCloneVoice({ pool, clock, urls: { provider1: url } });
  const connected = once(server, 'connection');
  const refused = expect(cloneVoice('provider1', 'key', sample)).rejects.toMatchObject({
    kind: 'timeout',
    message: 'provider1: no voice within 60 s',
  });
  const [socket] = (await connected) as [NodeJS.EventEmitter];
  const closed = once(socket, 'close');
  await once(server, 'request');
  await clock.advance(CLONING_TIMEOUT_MS);
  await refused;
  await closed;
  expect(clock.pendingTimers).toBe(0);
});
