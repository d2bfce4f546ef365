import { describe, expect, it } from '@jest/globals';
import { parseRedisUrl } from './redis-url.ts';

describe('parseRedisUrl', () => {
  it('leaves the URL of one server to the driver', () => {
    for (const url of ['redis://localhost', 'rediss://default:p%40ss@[::1]:6380/2'])
      expect(parseRedisUrl(url)).toEqual({ kind: 'server', url });
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
      isEncrypted: true,
      username: 'me',
      password: 'a,b,c',
    });
    expect(parseRedisUrl('redis+sentinel://s1/m')).toMatchObject({ database: 0, isEncrypted: false });
  });

  it('reads the nodes of a Cluster', () => {
    const nodes = [
      { host: 'a', port: 6379 },
      { host: 'b', port: 7000 },
    ];
    expect(parseRedisUrl('redis+cluster://a,b:7000')).toEqual({ kind: 'cluster', nodes, isEncrypted: false });
    expect(parseRedisUrl('rediss+cluster://:secret@a,b:7000/0')).toEqual({
      ...{ kind: 'cluster', nodes, isEncrypted: true },
      password: 'secret',
    });
  });

  it.each([
    ['localhost:6379', /^must be a URL that starts with redis: or /u],
    ['http://localhost', /^must be a URL that starts with redis: or /u],
    ['redis://a:port', /^must be a URL that starts with redis: or /u],
    ['redis://a,b', /^must start with redis\+sentinel: or redis\+cluster: to name several hosts$/u],
    ['redis+cluster://a,,b', /^must name a host between its commas$/u],
    ['redis+cluster:///0', /^must name a host$/u],
    ['redis+cluster://a/1', /^must not name a database other than 0/u],
    ['redis+cluster://a?x=1', /^must not have the parameter "x" \(possible: none\)$/u],
    ['redis+sentinel://a', /^must end with the name of the master, as in /u],
    ['redis+sentinel://a/m/0/x', /^must end with the name of the master, as in /u],
    ['redis+sentinel://a/m/first', /^must have a number as its database/u],
    ['redis+sentinel://a/m?db=1', /"db" \(possible: sentinel_username, sentinel_password\)/u],
    ['redis+sentinel://a:%zz@b/m', /^must encode special characters/u],
  ])('rejects %s', (url, message) => {
    expect(() => parseRedisUrl(url)).toThrow(message);
  });
});
