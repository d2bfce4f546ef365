import { EnvReader } from '@calls/foundation/env-reader';
import { describe, expect, it } from '@jest/globals';
import { readOutboundConfig } from './config.ts';

describe('OUTBOUND_ALLOW_PRIVATE', () => {
  it.each([
    [undefined, false],
    ['false', false],
    ['0', false],
    ['true', true],
    ['1', true],
    ['127.0.0.1', ['127.0.0.1']],
    ['10.0.0.0/8, fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
  ])('reads %s', (text, allowPrivateNetworks) => {
    const env = new EnvReader({ OUTBOUND_ALLOW_PRIVATE: text });
    expect(readOutboundConfig(env)).toMatchObject({ allowPrivateNetworks });
    env.finish();
  });

  it.each([
    'yes',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0/8',
    'fd00::/129',
    '::1%lo/128',
    '10.0.0.0/8/8',
    '10.0.0.0/8,',
  ])('rejects %s and allows no private network', (text) => {
    const env = new EnvReader({ OUTBOUND_ALLOW_PRIVATE: text });
    expect(readOutboundConfig(env)).toMatchObject({ allowPrivateNetworks: false });
    expect(() => env.finish()).toThrow('OUTBOUND_ALLOW_PRIVATE');
  });
});

describe('OUTBOUND_DNS_SERVERS', () => {
  it.each([
    [undefined, null],
    ['9.9.9.9', ['9.9.9.9']],
    ['127.0.0.1:5353, [::1]:53', ['127.0.0.1:5353', '[::1]:53']],
  ])('reads %s', (text, nameServers) => {
    const env = new EnvReader({ OUTBOUND_DNS_SERVERS: text });
    expect(readOutboundConfig(env)).toMatchObject({ nameServers });
    env.finish();
  });

  it('rejects host names', () => {
    const env = new EnvReader({ OUTBOUND_DNS_SERVERS: '9.9.9.9,dns.example' });
    expect(readOutboundConfig(env)).toMatchObject({ nameServers: null });
    expect(() => env.finish()).toThrow('OUTBOUND_DNS_SERVERS');
  });
});
