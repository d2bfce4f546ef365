import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

const PRIVATE = new BlockList();
for (const [net, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
] as const) {
  PRIVATE.addSubnet(net, prefix);
}
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/** Whether the name or address belongs to this machine. `host` may have the brackets of an IPv6 address. */
export function isLocal(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || isIn(LOOPBACK, host);
}

/** Whether the address is private. Names are not looked up. */
export function isPrivate(host: string): boolean {
  return isIn(PRIVATE, host);
}

function isIn(list: BlockList, host: string): boolean {
  const address = host.replace(/^\[|\]$/gu, '');
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}
