import { describe, expect, it } from '@jest/globals';
import { iceServerLinks } from './http-response.ts';

describe('iceServerLinks', () => {
  it('returns one link for each URL, with its credentials', () => {
    const urls = ['turn:turn.test?transport=udp', 'turns:turn.test:443?transport=tcp'];
    const servers = [{ urls: ['stun:stun.test'] }, { urls, username: '17:call', credential: 'a"b=' }];
    expect(iceServerLinks(servers)).toEqual([
      '<stun:stun.test>; rel="ice-server"',
      ...urls.map(
        (url) =>
          `<${url}>; rel="ice-server"; username="17:call"; credential="a\\"b="; credential-type="password"`,
      ),
    ]);
  });
});
