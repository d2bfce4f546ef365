import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DnsServer } from '@calls/testkit';
import { createDnsResolve, isNameServer, type Resolve } from './resolver.ts';

let server: DnsServer;
let resolve: Resolve;

beforeEach(async () => {
  server = await DnsServer.start();
  resolve = createDnsResolve([server.address]);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

describe('the DNS', () => {
  it('gives all addresses of a name, of both kinds', async () => {
    server.set('both.test', { A: ['192.0.2.1', '10.0.0.1'], AAAA: ['2606:4700::11'] });
    server.set('old.test', { A: ['192.0.2.2'] });
    server.set('new.test', { AAAA: ['2606:4700::11'] });
    server.set('alias.test', { CNAME: 'old.test', A: ['192.0.2.2'] });
    expect([...(await resolve('both.test'))].sort()).toEqual(['10.0.0.1', '192.0.2.1', '2606:4700::11']);
    expect(await resolve('old.test')).toEqual(['192.0.2.2']);
    expect(await resolve('new.test')).toEqual(['2606:4700::11']);
    expect(await resolve('alias.test')).toEqual(['192.0.2.2']);
  });

  it('is asked anew each time', async () => {
    server.set('moving.test', { A: ['192.0.2.1'] }, { A: ['127.0.0.1'] });
    expect(await resolve('moving.test')).toEqual(['192.0.2.1']);
    expect(await resolve('moving.test')).toEqual(['127.0.0.1']);
    expect(server.lookUps('moving.test')).toBe(2);
  });

  it('says so where there is no such name, or no address', async () => {
    await expect(resolve('nowhere.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    server.set('empty.test', {});
    await expect(resolve('empty.test')).rejects.toMatchObject({ code: 'ENODATA' });
  });
});

describe('a name server', () => {
  it.each(['9.9.9.9', '9.9.9.9:53', '2620:fe::fe', '[2620:fe::fe]:5353'])('may be %s', (text) => {
    expect(isNameServer(text)).toBe(true);
    expect(() => createDnsResolve([text])).not.toThrow();
  });

  it.each([
    '',
    'dns.example',
    '9.9.9.9:',
    '9.9.9.9:0',
    '9.9.9.9:65536',
    '[9.9.9.9]:53',
    '[2620:fe::fe]',
    'fe80::1%lo',
  ])('is not "%s"', (text) => expect(isNameServer(text)).toBe(false));
});
