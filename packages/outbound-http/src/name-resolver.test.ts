import { lookup } from 'node:dns/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DnsServer } from '@calls/testkit/dns-server';
import { VirtualClock } from '@calls/foundation/virtual-clock';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createNameResolver, isNameServer, type NameResolver } from './name-resolver.ts';

let server: DnsServer;
let clock: VirtualClock;
let folder: string;
let hostsPath: string;
let names: NameResolver;

beforeEach(async () => {
  server = await DnsServer.start();
  clock = new VirtualClock();
  folder = await mkdtemp(join(tmpdir(), 'names-'));
  hostsPath = join(folder, 'hosts');
  names = createNameResolver({ servers: [server.address], clock, hostsPath });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

describe('NameResolver with DNS names', () => {
  it('returns all addresses of a name, of both families or of one', async () => {
    server.set('both.test', { A: ['192.0.2.1', '10.0.0.1'], AAAA: ['2606:4700::11'] });
    server.set('old.test', { A: ['192.0.2.2'] });
    server.set('new.test', { AAAA: ['2606:4700::11'] });
    server.set('alias.test', { CNAME: 'old.test', A: ['192.0.2.2'] });
    expect([...(await names.addresses('both.test'))].sort()).toEqual([
      '10.0.0.1',
      '192.0.2.1',
      '2606:4700::11',
    ]);
    expect(await names.addresses('both.test', { family: 6 })).toEqual(['2606:4700::11']);
    expect(await names.addresses('old.test')).toEqual(['192.0.2.2']);
    expect(await names.addresses('new.test')).toEqual(['2606:4700::11']);
    expect(await names.addresses('alias.test')).toEqual(['192.0.2.2']);
  });

  it('returns services (SRV) by priority, then at random by weight', async () => {
    names = createNameResolver({ servers: [server.address], clock, hostsPath, random: () => 0.5 });
    const SRV = [
      { priority: 20, weight: 9, port: 5062, target: 'c.test' },
      { priority: 10, weight: 1, port: 5061, target: 'b.test' },
      { priority: 10, weight: 5, port: 5060, target: 'a.test' },
    ];
    server.set('_sip._udp.trunk.test', { SRV });
    expect(await names.services('_sip._udp.trunk.test')).toEqual([
      { host: 'a.test', port: 5060 },
      { host: 'b.test', port: 5061 },
      { host: 'c.test', port: 5062 },
    ]);
  });

  it('returns pointers to services (NAPTR) by order, then by preference', async () => {
    const pointer = { flags: 's', regexp: '' };
    const NAPTR = [
      { ...pointer, order: 20, preference: 1, service: 'SIP+D2U', replacement: '_sip._udp.trunk.test' },
      { ...pointer, order: 10, preference: 9, service: 'SIP+D2T', replacement: '_sip._tcp.trunk.test' },
      { ...pointer, order: 10, preference: 2, service: 'SIPS+D2T', replacement: '_sips._tcp.trunk.test' },
      { ...pointer, order: 1, preference: 1, service: 'E2U+sip', regexp: '!^.*$!sip:a@b!', replacement: '.' },
    ];
    server.set('trunk.test', { NAPTR });
    expect(await names.pointers('trunk.test')).toEqual([
      { flags: 's', service: 'SIPS+D2T', replacement: '_sips._tcp.trunk.test' },
      { flags: 's', service: 'SIP+D2T', replacement: '_sip._tcp.trunk.test' },
      { flags: 's', service: 'SIP+D2U', replacement: '_sip._udp.trunk.test' },
    ]);
    await expect(names.pointers('none.test')).rejects.toThrow('ENOTFOUND');
  });

  it('caches records for their TTL, at most 60 s, and not at all when it is 0', async () => {
    server.set('moving.test', { A: ['192.0.2.1'] }, { A: ['127.0.0.1'] });
    expect(await names.addresses('moving.test')).toEqual(['192.0.2.1']);
    expect(await names.addresses('moving.test')).toEqual(['127.0.0.1']);
    expect(server.lookUps('moving.test')).toBe(2);

    server.set('steady.test', { A: ['192.0.2.1'], ttlS: 20 }, { A: ['192.0.2.2'], ttlS: 86_400 });
    const v4 = { family: 4 } as const;
    expect(await names.addresses('steady.test', v4)).toEqual(['192.0.2.1']);
    await clock.advance(19_999);
    expect(await names.addresses('Steady.test.', v4)).toEqual(['192.0.2.1']);
    await clock.advance(1);
    expect(await names.addresses('steady.test', v4)).toEqual(['192.0.2.2']);
    await clock.advance(59_999);
    expect(server.lookUps('steady.test')).toBe(2);
    await clock.advance(1);
    await names.addresses('steady.test', v4);
    expect(server.lookUps('steady.test')).toBe(3);
  });

  it('sends one query for concurrent requests of one name', async () => {
    server.set('popular.test', { A: ['192.0.2.1'] });
    await Promise.all(Array.from({ length: 50 }, () => names.addresses('popular.test', { owner: 'a' })));
    expect(server.lookUps('popular.test')).toBe(1);
  });

  it('rejects with the reason when a name does not exist or has no address', async () => {
    await expect(names.addresses('nowhere.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    server.set('empty.test', {});
    await expect(names.addresses('empty.test')).rejects.toMatchObject({ code: 'ENODATA' });
  });
});

describe('NameResolver without DNS', () => {
  it('resolves addresses, localhost and names of the hosts file, which it reads again', async () => {
    expect(await names.addresses('192.0.2.7')).toEqual(['192.0.2.7']);
    expect(await names.addresses('LOCALHOST.')).toEqual(['127.0.0.1', '::1']);
    expect(await names.addresses('localhost', { family: 4 })).toEqual(['127.0.0.1']);
    await writeFile(hostsPath, '# none\n192.0.2.8\tPbx.test pbx # ours\n::9 pbx\nnonsense pbx\n');
    await clock.advance(5000);
    expect(await names.addresses('pbx.test')).toEqual(['192.0.2.8']);
    expect(await names.addresses('PBX')).toEqual(['192.0.2.8', '::9']);
    expect(await names.addresses('pbx', { family: 6 })).toEqual(['::9']);
    await writeFile(hostsPath, '192.0.2.9 pbx\n');
    await clock.advance(5000);
    expect(await names.addresses('pbx')).toEqual(['192.0.2.9']);
  });
});

describe('NameResolver with slow name servers', () => {
  const slow = Array.from({ length: 12 }, (_, index) => `slow-${index}.test`);

  it('does not delay other names or look-ups outside of the resolver', async () => {
    const asked = slow.map((name) => server.hold(name));
    const answered: string[] = [];
    const waiting = slow.map((name) =>
      names.addresses(name).then(
        () => answered.push(name),
        () => answered.push(name),
      ),
    );
    await Promise.all(asked);
    server.set('quick.test', { A: ['192.0.2.1'] });
    expect(await names.addresses('quick.test')).toEqual(['192.0.2.1']);
    // Addresses of engines are looked up by getaddrinfo in the thread pool, which the resolver must not block.
    await lookup('localhost');
    expect(answered).toEqual([]);
    for (const name of slow) server.release(name);
    await Promise.all(waiting);
    expect(answered.length).toBe(slow.length);
  });

  it('limits the look-ups of each owner and of all owners, without making owners wait for each other', async () => {
    const limits = { lookups: 5, lookupsPerOwner: 2, waitingPerOwner: 1 };
    names = createNameResolver({ servers: [server.address], clock, hostsPath, limits });
    const [first = '', second = '', third = '', fourth = '', fifth = '', sixth = ''] = slow;
    const asked = [first, second, fourth, fifth, sixth].map((name) => server.hold(name));
    const family = 4 as const;
    const waiting = [first, second].map((name) => names.addresses(name, { owner: 'a', family }));
    server.set('third.test', { A: ['192.0.2.3'] });
    const queued = names.addresses('third.test', { owner: 'a', family });
    await expect(names.addresses(third, { owner: 'a', family })).rejects.toThrow(
      'too many requests are waiting',
    );
    // Another owner does not wait for the turn of the first, even for the same name.
    expect(await names.addresses('third.test', { owner: 'b', family })).toEqual(['192.0.2.3']);
    waiting.push(...[fourth, fifth, sixth].map((name) => names.addresses(name, { family })));
    await Promise.all(asked);
    await expect(names.addresses('third.test', { owner: 'b', family })).rejects.toThrow(
      'too many concurrent name look-ups',
    );
    for (const name of slow) server.release(name);
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.map(({ status }) => status)).toEqual(waiting.map(() => 'rejected'));
    expect(await queued).toEqual(['192.0.2.3']);
  });
});

describe('isNameServer', () => {
  it.each(['9.9.9.9', '9.9.9.9:53', '2620:fe::fe', '[2620:fe::fe]:5353'])('accepts %s', (text) => {
    expect(isNameServer(text)).toBe(true);
    expect(() => createNameResolver({ servers: [text] })).not.toThrow();
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
  ])('rejects "%s"', (text) => expect(isNameServer(text)).toBe(false));
});
