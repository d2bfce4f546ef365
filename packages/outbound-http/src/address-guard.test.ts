import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createAddressGuard } from './address-guard.ts';

const guard = createAddressGuard(false);

describe('address guard', () => {
  it.each([
    ['0.0.0.0', 'unspecified'],
    ['0.255.255.255', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'carrier_grade_nat'],
    ['100.127.255.255', 'carrier_grade_nat'],
    ['100.100.100.200', 'metadata'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['168.63.129.16', 'metadata'],
    ['169.254.0.1', 'link_local'],
    ['169.254.169.254', 'metadata'],
    ['169.254.170.2', 'metadata'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.8', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['192.88.99.1', 'reserved'],
    ['192.168.255.255', 'private'],
    ['198.19.255.255', 'reserved'],
    ['198.51.100.7', 'reserved'],
    ['203.0.113.7', 'reserved'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.250', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'reserved'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['0:0:0:0:0:ffff:a9fe:a9fe', 'metadata'],
    ['::ffff:0:10.0.0.1', 'reserved'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b::', 'unspecified'],
    ['64:ff9b:1::10.0.0.1', 'reserved'],
    ['100::1', 'reserved'],
    ['2001::1', 'reserved'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['2002:7f00:1::', 'reserved'],
    ['2002:808:808::1', 'reserved'],
    ['3fff::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['fc00::1', 'private'],
    ['fd00::1', 'private'],
    ['fd00:ec2::254', 'metadata'],
    ['fd20:ce::254', 'metadata'],
    ['fe80::1', 'link_local'],
    ['fe80::1%eth0', 'link_local'],
    ['febf::1', 'link_local'],
    ['fec0::1', 'private'],
    ['ff02::1', 'multicast'],
    ['not an address', 'malformed_url'],
  ])('refuses %s as %s', (address, rule) => {
    expect(guard.refusalOf(address)).toBe(rule);
    expect(() => guard.assertAllowed(address)).toThrow(expect.objectContaining({ code: 'outbound_refused' }));
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '2a00:1450:4001::1',
  ])('allows %s', (address) => {
    expect(guard.refusalOf(address)).toBeNull();
  });

  it('applies the same rule to an IPv4 address and to the IPv6 addresses that map to it', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
        const [a, b, c, d] = octets;
        const words = [(a << 8) | b, (c << 8) | d].map((word) => word.toString(16)).join(':');
        const rule = guard.refusalOf(octets.join('.'));
        for (const prefix of ['::ffff:', '0:0:0:0:0:ffff:', '64:ff9b::', '64:ff9b:0:0:0:0:']) {
          expect(guard.refusalOf(prefix + words)).toBe(rule);
          expect(guard.refusalOf(prefix + octets.join('.'))).toBe(rule);
        }
      }),
    );
  });

  it('allows private networks when all are allowed, but no metadata services or unspecified addresses', () => {
    const open = createAddressGuard(true);
    for (const address of ['127.0.0.1', '10.1.2.3', '::1', 'fd00::1', '100.64.0.1', '169.254.1.1']) {
      expect(open.refusalOf(address)).toBeNull();
    }
    for (const address of ['169.254.169.254', '::ffff:169.254.169.254', 'fd00:ec2::254', '0.0.0.0', '::']) {
      expect(open.refusalOf(address)).not.toBeNull();
    }
  });

  it('allows listed networks and no others', () => {
    const some = createAddressGuard(['127.0.0.1', '10.1.0.0/16', 'fd12::/16', '169.254.169.254/32']);
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '10.1.255.1', 'fd12::5', '169.254.169.254']) {
      expect(some.refusalOf(address)).toBeNull();
    }
    for (const address of ['127.0.0.2', '10.2.0.1', 'fd13::5', '::1', '192.168.0.1']) {
      expect(some.refusalOf(address)).not.toBeNull();
    }
    expect(createAddressGuard(['::/0']).refusalOf('127.0.0.1')).toBe('loopback');
    expect(createAddressGuard(['0.0.0.0/0']).refusalOf('::1')).toBe('loopback');
  });
});
