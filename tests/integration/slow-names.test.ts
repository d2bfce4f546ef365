import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { lookup } from 'node:dns/promises';
import { systemClock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { createNameResolver } from '@calls/outbound-http/name-resolver';
import { createOutboundHttp, type OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { SipEndpoint } from '@calls/sip/endpoint-options';
import { openSipEndpoint } from '@calls/sip/endpoint/open-sip-endpoint';
import { DnsServer } from '@calls/testkit/dns-server';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Target } from './outbound/targets.ts';

const HOST = '127.0.0.1';
const SLOW = Array.from({ length: 6 }, (_, index) => `slow-${index}.test`);

let dns: DnsServer;
let endpoint: SipEndpoint;
let outbound: OutboundHttp;
let phone: Socket;

beforeEach(async () => {
  dns = await DnsServer.start();
  const names = createNameResolver({ servers: [dns.address] });
  outbound = createOutboundHttp({ allowPrivateNetworks: [HOST], names });
  endpoint = await openSipEndpoint({
    host: HOST,
    port: 0,
    address: HOST,
    names,
    clock: systemClock,
    log: silentLogger,
    onInvite: (invite) => invite.reject(404, 'Not Found'),
    onMessage: () => undefined,
  });
  phone = createSocket('udp4').bind(0, HOST);
  await once(phone, 'listening');
});
afterEach(async () => {
  phone.close();
  await endpoint[Symbol.asyncDispose]();
  await outbound[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
});

describe('slow DNS lookups of customer hosts', () => {
  it('do not delay calls, requests or lookups of engine hosts', async () => {
    const ended: string[] = [];
    const asked = SLOW.map((name) => dns.hold(name));
    const calls = SLOW.map((name) => {
      const call = invite(`sip:ann@${name}:5060`, 'a slow account');
      void call.answered.then(() => ended.push(name));
      return call;
    });
    const fetching = SLOW.map((name) =>
      request(`http://${name}/`, 'a slow account').catch(() => ended.push(name)),
    );
    await Promise.all(asked);

    dns.set('quick.test', { A: [HOST] });
    const arrived = once(phone, 'message') as Promise<[Buffer]>;
    const quick = invite(`sip:bob@quick.test:${phone.address().port}`, 'another account');
    const [message] = await arrived;
    expect(message.toString()).toMatch(/^INVITE sip:bob@quick\.test/u);
    await using target = await Target.http((_request, response) => response.end('here')).listen();
    expect(await request(target.url('/', 'quick.test'), 'another account')).toBe('here');
    // Engine hosts are resolved in the thread pool of the process.
    await Promise.all(Array.from({ length: 4 }, () => lookup('localhost')));
    expect(ended).toEqual([]);

    quick.cancel();
    for (const call of calls) call.cancel();
    for (const name of SLOW) dns.release(name);
    await Promise.all(fetching);
  });
});

function invite(to: string, owner: string) {
  const ringLimitMs = 30_000;
  return endpoint.invite({ to, from: 'sip:agent@127.0.0.1', credentials: null, sdp: '', ringLimitMs, owner });
}

async function request(url: string, owner: string): Promise<string> {
  const limits = { timeoutMs: 30_000, maxResponseBytes: 1000 };
  const response = await outbound.request({ method: 'GET', url, owner, ...limits });
  return (await response.bytes()).toString();
}
