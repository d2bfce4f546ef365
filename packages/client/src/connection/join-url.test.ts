import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { connectionUrl } from './join-url.ts';
import { VERSION } from '../version.ts';

const joinUrl = 'wss://media.example/join/0190?token=a.b-c_d';

describe('connectionUrl', () => {
  it('preserves the token and adds the versions of the page and the SDK', () => {
    const url = new URL(connectionUrl(joinUrl, { clientVersion: 'shop 2.1' }));
    expect(url.pathname).toBe('/join/0190');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      token: 'a.b-c_d',
      clientVersion: `shop 2.1 calls-client/${VERSION}`,
      apiVersion: '1',
      medium: 'webRtc',
    });
    expect(new URL(connectionUrl(joinUrl)).searchParams.get('clientVersion')).toBe(`calls-client/${VERSION}`);
  });

  it('adds message types to those of the join URL', () => {
    const additionalMessages = ['debug', 'call_event'] as const;
    const { searchParams } = new URL(
      connectionUrl(`${joinUrl}&additionalMessages=tool_used`, { additionalMessages }),
    );
    expect(searchParams.getAll('additionalMessages')).toEqual(['tool_used', 'debug,call_event']);
    expect(
      new URL(connectionUrl(joinUrl, { additionalMessages: [] })).searchParams.has('additionalMessages'),
    ).toBe(false);
  });

  it.each([
    '',
    'null',
    '/join/0190',
    'wss://media.example/supervise/0190?token=a.b-c_d',
    'https://media.example/join/0190',
    'javascript:alert(1)',
  ])('rejects %j', (wrong) => {
    expect(() => connectionUrl(wrong)).toThrow(
      expect.objectContaining({ code: 'invalid_join_url', retryable: false }),
    );
  });
});

describe('VERSION', () => {
  it('is the version of the package', () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    expect(JSON.parse(manifest)).toMatchObject({ version: VERSION });
  });
});
