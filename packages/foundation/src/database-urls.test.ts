import { describe, expect, it } from '@jest/globals';
import { databaseUrls, readReplicaUrls } from './database-urls.ts';

describe('databaseUrls', () => {
  it('returns the URL of a single server unchanged', () => {
    const url = 'postgres://me:a%2Cb,c@db/calls?sslmode=require';
    expect(databaseUrls(url)).toEqual([url]);
  });

  it('repeats the credentials, the database and the parameters for each server', () => {
    const url =
      'postgresql://me:a%2Cb,c@a,[::1]:5433, c:1/calls?target_session_attrs=read-write&sslmode=require';
    expect(databaseUrls(url)).toEqual([
      'postgresql://me:a%2Cb,c@a/calls?sslmode=require',
      'postgresql://me:a%2Cb,c@[::1]:5433/calls?sslmode=require',
      'postgresql://me:a%2Cb,c@c:1/calls?sslmode=require',
    ]);
  });

  it.each([
    ['mysql://a/calls', /^must be a URL that starts with postgres: or postgresql:$/u],
    ['postgres://a:port,b/calls', /^must be a URL that starts with/u],
    ['postgres://me:p@ss/word#1@db/calls', /has special characters encoded, as in %23 for #$/u],
    ['postgres://me:pass/word@db/calls', /has special characters encoded/u],
    ['postgres://a,/calls', /^must name a host between its commas$/u],
    [
      'postgres://a,b/calls?target_session_attrs=any',
      /^must have no target_session_attrs, or one of read-write, /u,
    ],
  ])('rejects %s', (url, message) => {
    expect(() => databaseUrls(url)).toThrow(message);
  });
});

describe('readReplicaUrls', () => {
  it('accepts target_session_attrs=standby, and rejects primary', () => {
    const url = (target: string): string => `postgres://a,b/calls?target_session_attrs=${target}`;
    expect(readReplicaUrls(url('standby'))).toEqual(['postgres://a/calls', 'postgres://b/calls']);
    expect(() => readReplicaUrls(url('primary'))).toThrow(/, or one of standby, /u);
  });
});
