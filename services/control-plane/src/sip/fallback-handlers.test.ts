import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createOutboundHttp, type OutboundHttp } from '@calls/outbound-http/outbound-http';
import { createSecretBox } from '@calls/secrets/secret-box/secret-box';
import { sipSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { FallbackHandlers } from './fallback-handlers.ts';

const ACCOUNT = '0190f3a0-0000-7000-8000-000000000001';
const ANOTHER = '0190f3a0-0000-7000-8000-000000000002';
const party = { uri: 'sip:a@b.test', user: 'a', displayName: '' };
const invite = {
  callId: '0190f3a0-0000-7000-8000-000000000003',
  domain: 'b.test',
  to: party,
  from: party,
  sourceAddress: '192.0.2.1',
  headers: {},
};

let clock: VirtualClock;
/** Accepts requests and never responds. */
let server: Server;
let outbound: OutboundHttp;
let handlers: FallbackHandlers;

beforeEach(async () => {
  clock = new VirtualClock();
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  outbound = createOutboundHttp({ allowPrivateNetworks: true, clock });
  handlers = new FallbackHandlers({ secretBox, outbound, clock });
});
afterEach(async () => {
  await outbound[Symbol.asyncDispose]();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const secretBox = createSecretBox(['a key for tests of enough characters']);
function ask(accountId = ACCOUNT) {
  const { port } = server.address() as AddressInfo;
  const secrets = [secretBox.seal('a secret of sixteen', sipSecretContext(accountId))];
  return handlers.request(accountId, { url: `http://127.0.0.1:${port}/`, secrets }, invite);
}

describe('fallback handler that does not respond', () => {
  it('times out after five seconds', async () => {
    const asked = once(server, 'request');
    const failure = expect(ask()).rejects.toMatchObject({ code: 'outbound_timeout' });
    await asked;
    await clock.advance(5000);
    await failure;
    expect(clock.pendingTimers).toBe(0);
  });

  it('blocks at most eight callers of its account and none of other accounts', async () => {
    const waiting = Array.from({ length: 8 }, () => ask());
    const outcomes = Promise.allSettled(waiting);
    await expect(ask()).rejects.toMatchObject({ code: 'fallback_handler_failed' });
    const other = expect(ask(ANOTHER)).rejects.toMatchObject({ code: 'outbound_timeout' });
    await clock.advance(5000);
    await other;
    expect((await outcomes).map(({ status }) => status)).toEqual(Array(8).fill('rejected'));
    const again = expect(ask()).rejects.toMatchObject({ code: 'outbound_timeout' });
    await clock.advance(5000);
    await again;
  });
});
