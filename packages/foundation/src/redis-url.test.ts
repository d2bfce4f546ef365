import { describe, expect, it } from '@jest/globals';
import { parseRedisUrl } from './redis-url.ts';

describe('parseRedisUrl', () => {
  it('leaves the URL of one server to the driver', () => {
    const plain = 'redis://localhost';
    expect(parseRedisUrl(plain)).toEqual({ kind: 'server', url: plain, tls: null });
    const encrypted = 'rediss://default:p%40ss@[::1]:6380/2?family=6';
    expect(parseRedisUrl(encrypted)).toEqual({ kind: 'server', url: encrypted, tls: {} });
  });

  it('reads the TLS files', () => {
    const files = 'ca_file=/etc/ca.pem&cert_file=a%20b.pem&key_file=a.key';
    const tls = { ca: '/etc/ca.pem', cert: 'a b.pem', key: 'a.key' };
    const server = { kind: 'server', url: 'rediss://a/0?family=6', tls };
    expect(parseRedisUrl(`rediss://a/0?${files}&family=6`)).toEqual(server);
    expect(parseRedisUrl(`rediss+sentinel://a/m?sentinel_password=p&${files}`)).toMatchObject({ tls });
    expect(parseRedisUrl('rediss+cluster://a,b?ca_file=x')).toMatchObject({ tls: { ca: 'x' } });
  });

  it('reads Sentinels, the name of the master and credentials', () => {
    expect(
      parseRedisUrl(
        'rediss+sentinel://me:a%2Cb,c@s1,[::1]:26380, s3:1/my%20master/2?sentinel_username=s&sentinel_password=p%26',
      ),
    ).toEqual({
      kind: 'sentinel',
      sentinels: [
        { host: 's1', port: 26_379 },
        { host: '::1', port: 26_380 },
        { host: 's3', port: 1 },
      ],
      sentinelCredentials: { username: 's', password: 'p&' },
      masterName: 'my master',
      database: 2,
      tls: {},
      username: 'me',
      password: 'a,b,c',
    });
    expect(parseRedisUrl('redis+sentinel://s1/m')).toMatchObject({ database: 0, tls: null });
  });

  it('reads the nodes of a Cluster', () => {
    const nodes = [
      { host: 'a', port: 6379 },
      { host: 'b', port: 7000 },
    ];
    expect(parseRedisUrl('redis+cluster://a,b:7000')).toEqual({ kind: 'cluster', nodes, tls: null });
    expect(parseRedisUrl('rediss+cluster://:secret@a,b:7000/0')).toEqual({
      ...{ kind: 'cluster', nodes, tls: {} },
      password: 'secret',
    });
  });

  it.each([
    ['localhost:6379', /^must be a URL that starts with redis: or /u],
    ['http://localhost', /^must be a URL that starts with redis: or /u],
    ['redis://a:port', /^must be a URL that starts with redis: or /u],
    ['redis://me:p@ss/word#1@cache/0', /has special characters encoded, as in %23 for #$/u],
    ['redis://a,b', /^must start with redis\+sentinel: or redis\+cluster: to name several hosts$/u],
    ['redis+cluster://a,,b', /^must name a host between its commas$/u],
    ['redis+cluster:///0', /^must name a host$/u],
    ['redis+cluster://a/1', /^must not name a database other than 0/u],
    ['redis+cluster://a?x=1', /^must not have the parameter "x" \(possible: none\)$/u],
    ['redis+sentinel://a', /^must end with the name of the master, as in /u],
    ['redis+sentinel://a/m/0/x', /^must end with the name of the master, as in /u],
    ['redis+sentinel://a/m/first', /^must have a number as its database/u],
    ['redis://a/first', /^must have a number as its database, not "first"$/u],
    ['redis://a:100%@b/0', /^must encode special characters, as in %25 for %$/u],
    ['redis+sentinel://a/m?db=1', /"db" \(possible: sentinel_username, sentinel_password\)/u],
    ['redis://a?ca_file=x', /^must start with rediss to have ca_file/u],
    ['rediss://a?key_file=x', /^must have cert_file and key_file together$/u],
    ['redis+sentinel://a:%zz@b/m', /^must encode special characters/u],
  ])('rejects %s', (url, message) => {
    expect(() => parseRedisUrl(url)).toThrow(message);
  });
});
