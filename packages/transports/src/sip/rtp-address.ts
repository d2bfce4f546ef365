import { BlockList, isIPv4 } from 'node:net';

/** Where UDP packets come from or go to; IPv4. */
export interface RtpAddress {
  address: string;
  port: number;
}

export function isSameAddress(a: RtpAddress, b: RtpAddress): boolean {
  return a.port === b.port && a.address === b.address;
}

/** Not addresses of a host: "this network", multicast, reserved and broadcast addresses. */
const UNUSABLE_ADDRESSES = new BlockList();
UNUSABLE_ADDRESSES.addSubnet('0.0.0.0', 8);
UNUSABLE_ADDRESSES.addSubnet('224.0.0.0', 4);
UNUSABLE_ADDRESSES.addSubnet('240.0.0.0', 4);

/** Those that mean something else on each machine or link. */
const LOCAL = new BlockList();
LOCAL.addSubnet('127.0.0.0', 8);
LOCAL.addSubnet('169.254.0.0', 16);

/** Ports below are those of servers (DNS, NTP, SNMP): audio there is an attack. */
const MIN_PORT = 1024;

/**
 * Why audio isn't sent to where a peer says; null where it may be. Private addresses may be: trunks have them. Those of the
 * machine itself and of its link only where `own`, which we tell peers, is one too.
 */
export function addressFault({ address, port }: RtpAddress, own: string): string | null {
  if (!isIPv4(address)) return 'is no IPv4 address';
  if (UNUSABLE_ADDRESSES.check(address)) return 'is no address of a single host';
  if (LOCAL.check(address) && !(isIPv4(own) && LOCAL.check(own))) return 'is a local one';
  if (!Number.isInteger(port) || port < MIN_PORT || port > 65_535)
    return `has a port outside ${MIN_PORT} to 65535`;
  return null;
}
