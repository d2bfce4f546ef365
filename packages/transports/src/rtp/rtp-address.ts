import { BlockList, isIP } from 'node:net';
import { familyOf } from '@calls/foundation/address-network';

/** Source or destination of UDP packets. IPv6 addresses are canonical. */
export interface RtpAddress {
  address: string;
  port: number;
}

export function isSameAddress(a: RtpAddress, b: RtpAddress): boolean {
  return a.port === b.port && a.address === b.address;
}

/** Addresses that are not of a single host: "this network", multicast, reserved, broadcast and IPv4-mapped addresses. */
const UNUSABLE_ADDRESSES = new BlockList();
UNUSABLE_ADDRESSES.addSubnet('0.0.0.0', 8);
UNUSABLE_ADDRESSES.addSubnet('224.0.0.0', 4);
UNUSABLE_ADDRESSES.addSubnet('240.0.0.0', 4);
UNUSABLE_ADDRESSES.addAddress('::', 'ipv6');
UNUSABLE_ADDRESSES.addSubnet('ff00::', 8, 'ipv6');

const IPV4_MAPPED = /^::ffff:/iu;

/** Loopback and link-local addresses. */
const LOCAL = new BlockList();
LOCAL.addSubnet('127.0.0.0', 8);
LOCAL.addSubnet('169.254.0.0', 16);
LOCAL.addAddress('::1', 'ipv6');
LOCAL.addSubnet('fe80::', 10, 'ipv6');

/** Lower ports belong to servers (DNS, NTP, SNMP); audio sent there would be an attack. */
const MIN_PORT = 1024;

/**
 * Why audio must not be sent to an address that a peer signals; null if it may. Private addresses are allowed, because
 * trunks use them. `own`: the local addresses advertised to peers, one per family. Loopback and link-local addresses
 * are allowed only if the own address of their family is one too.
 */
export function addressIssue({ address, port }: RtpAddress, own: readonly string[]): string | null {
  if (isIP(address) === 0) return 'is not an IP address';
  const ownOfFamily = own.find((each) => familyOf(each) === familyOf(address));
  if (ownOfFamily === undefined)
    return `is an IPv${familyOf(address)} address, which this service does not have`;
  if (isIn(UNUSABLE_ADDRESSES, address) || IPV4_MAPPED.test(address))
    return 'is not an address of a single host';
  if (isIn(LOCAL, address) && !isIn(LOCAL, ownOfFamily)) return 'is a loopback or link-local address';
  if (!Number.isInteger(port) || port < MIN_PORT || port > 65_535)
    return `has a port outside ${MIN_PORT} to 65535`;
  return null;
}

function isIn(list: BlockList, address: string): boolean {
  return isIP(address) !== 0 && list.check(address, familyOf(address) === 6 ? 'ipv6' : 'ipv4');
}
