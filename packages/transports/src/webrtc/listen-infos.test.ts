import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { listenInfos } from './listen-infos.ts';

function address(ip: string, family: 'IPv4' | 'IPv6' = 'IPv4'): NetworkInterfaceInfo {
  const common = { address: ip, netmask: '', mac: '', internal: ip.startsWith('127.'), cidr: null };
  return family === 'IPv4' ? { ...common, family } : { ...common, family, scopeid: 0 };
}

const interfaces = {
  lo: [address('127.0.0.1'), address('::1', 'IPv6')],
  eth0: [address('10.0.0.5'), address('fe80::1', 'IPv6')],
};

describe('listenInfos', () => {
  it('listens on each local IPv4 address, with UDP and non-loopback addresses first', () => {
    expect(listenInfos({ listen: '', announced: '' }, 10_000, interfaces)).toEqual([
      { protocol: 'udp', ip: '10.0.0.5', port: 10_000 },
      { protocol: 'udp', ip: '127.0.0.1', port: 10_000 },
      { protocol: 'tcp', ip: '10.0.0.5', port: 10_000 },
      { protocol: 'tcp', ip: '127.0.0.1', port: 10_000 },
    ]);
  });

  it('listens on 0.0.0.0 when an announced address is configured', () => {
    expect(listenInfos({ listen: '', announced: 'calls.test' }, 1, interfaces)).toEqual([
      { protocol: 'udp', ip: '0.0.0.0', port: 1, announcedAddress: 'calls.test' },
      { protocol: 'tcp', ip: '0.0.0.0', port: 1, announcedAddress: 'calls.test' },
    ]);
  });

  it('uses the range of ephemeral ports when the port is 0', () => {
    const infos = listenInfos({ listen: '127.0.0.1', announced: '' }, 0, interfaces);
    expect(infos.map(({ portRange }) => portRange)).toEqual([
      { min: 32_768, max: 60_999 },
      { min: 32_768, max: 60_999 },
    ]);
  });

  it('listens on the configured address only', () => {
    expect(listenInfos({ listen: '::1', announced: '' }, 1, interfaces).map(({ ip }) => ip)).toEqual([
      '::1',
      '::1',
    ]);
  });
});
