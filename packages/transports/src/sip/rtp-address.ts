import { BlockList, isIPv4 } from 'node:net';

/** IPv4 source or destination of UDP packets. */
export interface RtpAddress {
  address: string;
  port: number;
}

export function isSameAddress(a: RtpAddress, b: RtpAddress): boolean {
  return a.port === b.port && a.address === b.address;
}

/** Addresses that are not of a single host: "this network", multicast, reserved and broadcast addresses. */
const UNUSABLE_ADDRESSES = new BlockList();
UNUSABLE_ADDRESSES.addSubnet('0.0.0.0', 8);
UNUSABLE_ADDRESSES.addSubnet('224.0.0.0', 4);
UNUSABLE_ADDRESSES.addSubnet('240.0.0.0', 4);

/** Loopback and link-local addresses. */
const LOCAL = new BlockList();
LOCAL.addSubnet('127.0.0.0', 8);
LOCAL.addSubnet('169.254.0.0', 16);

/** Lower ports belong to servers (DNS, NTP, SNMP); audio sent there would be an attack. */
const MIN_PORT = 1024;

/**
 * Why audio must not be sent to an address that a peer signals; null if it may. Private addresses are allowed, because
 * trunks use them. Loopback and link-local addresses are allowed only if `own`, which peers get, is one too.
 */
export function addressFault({ address, port }: RtpAddress, own: string): string | null {
  if (!isIPv4(address)) return 'is not an IPv4 address';
  if (UNUSABLE_ADDRESSES.check(address)) return 'is not an address of a single host';
  if (LOCAL.check(address) && !(isIPv4(own) && LOCAL.check(own)))
    return 'is a loopback or link-local address';
  if (!Number.isInteger(port) || port < MIN_PORT || port > 65_535)
    return `has a port outside ${MIN_PORT} to 65535`;
  return null;
}
