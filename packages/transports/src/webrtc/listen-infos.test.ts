import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { listenInfos } from './listen-infos.ts';

function address(ip: string, family: 'IPv4' | 'IPv6' = 'IPv4'): NetworkInterfaceInfo {
  const internal = ip.startsWith('127.') || ip === '::1';
  const common = { address: ip, netmask: '', mac: '', internal, cidr: null };
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

  it('listens on IPv6 if the machine has no other IPv4 address than loopback', () => {
    const { lo } = interfaces;
    const eth0 = [address('fe80::1', 'IPv6'), address('2001:db8::5', 'IPv6')];
    const ipsOf = (announced: string) =>
      listenInfos({ listen: '', announced }, 1, { lo, eth0 }).map(({ ip }) => ip);
    expect(ipsOf('')).toEqual(['2001:db8::5', '::1', '2001:db8::5', '::1']);
    expect(ipsOf('calls.test')).toEqual(['::', '::']);
    expect(listenInfos({ listen: '', announced: '' }, 1, { lo }).map(({ ip }) => ip)).toEqual([
      '127.0.0.1',
      '127.0.0.1',
    ]);
  });

  it('listens on :: when an IPv6 address is announced, if the machine has one', () => {
    const eth1 = [address('2001:db8::5', 'IPv6')];
    const ipOf = (announced: string, found: typeof interfaces) =>
      listenInfos({ listen: '', announced }, 1, found)[0]?.ip;
    expect(ipOf('2001:db8::1', { ...interfaces, ...{ eth1 } })).toBe('::');
    expect(ipOf('192.0.2.1', { ...interfaces, ...{ eth1 } })).toBe('0.0.0.0');
    expect(ipOf('2001:db8::1', interfaces)).toBe('0.0.0.0');
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
