import { isIP } from 'node:net';
import { Networks } from './networks.ts';
import { OutboundRefusal, type RefusalRule } from './outbound-error.ts';

/**
 * From the registries of special-purpose addresses (RFC 6890 and successors); the first match names the rule. For IPv6,
 * everything except global unicast is refused, and global addresses that embed IPv4 addresses.
 */
const REFUSED: readonly (readonly [RefusalRule, readonly string[]])[] = [
  [
    'metadata',
    [
      '169.254.169.254',
      '169.254.170.2',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      'fd00:ec2::/32',
      'fd20:ce::254',
    ],
  ],
  ['unspecified', ['0.0.0.0/8', '::']],
  ['loopback', ['127.0.0.0/8', '::1']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10']],
  ['link_local', ['169.254.0.0/16', 'fe80::/10']],
  ['carrier_grade_nat', ['100.64.0.0/10']],
  ['multicast', ['224.0.0.0/4', 'ff00::/8']],
  [
    'reserved',
    [
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.88.99.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '240.0.0.0/4',
      '::/3',
      '2001::/23',
      '2001:db8::/32',
      '2002::/16',
      '3fff::/20',
      '4000::/2',
      '8000::/1',
    ],
  ],
];
const REFUSED_NETWORKS = REFUSED.map(([rule, networks]) => ({ rule, networks: new Networks(networks) }));

/** Networks of operators and their machines, which `allowPrivateNetworks: true` allows. Others are never allowed. */
const PRIVATE_RULES: ReadonlySet<RefusalRule> = new Set([
  'private',
  'loopback',
  'link_local',
  'carrier_grade_nat',
]);

/**
 * IPv6 addresses that embed an IPv4 address: IPv4-mapped, and NAT64 addresses, which resolvers return in IPv6-only
 * networks.
 */
const EMBEDDING = new Networks(['::ffff:0:0/96', '64:ff9b::/96']);

/** `true` allows every private network; a list allows exactly those networks, of any kind. */
export type AllowedNetworks = boolean | readonly string[];

export interface AddressGuard {
  /** The rule that forbids connecting to this address; null if it is allowed. */
  refusalOf(address: string): RefusalRule | null;
  /** Throws an OutboundRefusal if the address is forbidden. */
  assertAllowed(address: string): void;
}

export function createAddressGuard(allowed: AllowedNetworks): AddressGuard {
  const allowedNetworks = new Networks(typeof allowed === 'boolean' ? [] : allowed);
  const refusalOf = (address: string): RefusalRule | null => {
    if (isIP(address) === 0) return 'malformed_url';
    // Addresses with a zone (`fe80::1%eth0`) are link-local.
    if (address.includes('%')) return 'link_local';
    const target = EMBEDDING.contains(address) ? embeddedIpv4(address) : address;
    if (allowedNetworks.contains(target)) return null;
    const rule = REFUSED_NETWORKS.find(({ networks }) => networks.contains(target))?.rule ?? null;
    return rule !== null && allowed === true && PRIVATE_RULES.has(rule) ? null : rule;
  };
  return {
    refusalOf,
    assertAllowed(address) {
      const rule = refusalOf(address);
      if (rule !== null) throw new OutboundRefusal(rule);
    },
  };
}

/** The last 32 bits of an IPv6 address, as an IPv4 address. */
function embeddedIpv4(address: string): string {
  // The URL parser normalizes addresses to hexadecimal groups without dots.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, after = ''] = canonical.split('::');
  const groups = (canonical.includes('::') ? after : canonical).split(':');
  const [high = 0, low = 0] = ['0', '0', ...groups]
    .slice(-2)
    .map((group) => Number.parseInt(group || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
