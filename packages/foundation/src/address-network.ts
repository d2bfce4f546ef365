import { isIPv6 } from 'node:net';

/**
 * Returns an IPv6 address in its canonical form (RFC 5952), so that equal addresses are equal texts, and other text
 * unchanged.
 */
export function canonicalAddress(text: string): string {
  return isIPv6(text) && !text.includes('%') ? canonicalIpv6(text) : text;
}

/** The family of an address; 4 for text that is not an IPv6 address. */
export function familyOf(address: string): 4 | 6 {
  return isIPv6(address) ? 6 : 4;
}

/** Some proxies append the client's port to its address, as in `192.0.2.1:50000` and `[2001:db8::1]:50000`. */
const WITH_PORT = /^(?:([\d.]+)|\[(.+)\])(?::\d+)?$/u;

/** The network of one party: an IPv4 address, or the first 64 bits of an IPv6 address. A port is ignored. */
export function networkOf(address: string): string {
  const host = address.replace(WITH_PORT, '$1$2');
  const plain = host.replace(/^::ffff:(?=[\d.]+$)/iu, '').replace(/%.*$/u, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = canonicalIpv6(plain).split('::');
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}

function canonicalIpv6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
