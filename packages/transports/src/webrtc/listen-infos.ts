import { isIP } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';
import type { types } from 'mediasoup';

export interface RtcAddresses {
  /**
   * '' listens on every local IPv4 address, or on every IPv6 address if other machines reach no IPv4 address. If
   * `announced` is set, it listens on 0.0.0.0, or on `::` if `announced` is such an IPv6 address.
   */
  listen: string;
  /** The address announced to clients; '': the listening address. */
  announced: string;
}

/** Range of free ports, for port 0 and for loopback: Linux's ephemeral ports. Configured ports usually lie outside of it. */
export const FREE_PORTS = { min: 32_768, max: 60_999 };

/** Listening addresses of a mediasoup worker, best first: UDP, then TCP. */
export function listenInfos(
  { listen, announced }: RtcAddresses,
  port: number,
  interfaces: Interfaces,
): types.TransportListenInfo[] {
  const addresses = listen === '' ? defaultAddresses(announced, interfaces) : [listen];
  const ports = { port, ...(port === 0 && { portRange: FREE_PORTS }) };
  const announcement = announced !== '' && { announcedAddress: announced };
  return (['udp', 'tcp'] as const).flatMap((protocol) =>
    addresses.map((ip) => ({ protocol, ip, ...ports, ...announcement })),
  );
}

type Interfaces = Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>;

const LINK_LOCAL = /^fe[89ab]/iu;

/** Addresses that other machines reach, before loopback addresses. */
function defaultAddresses(announced: string, interfaces: Interfaces): string[] {
  const local = Object.values(interfaces)
    .flatMap((found) => found ?? [])
    .filter(({ address }) => !LINK_LOCAL.test(address));
  const isReachable = (wanted: string): boolean =>
    local.some(({ family, internal }) => family === wanted && !internal);
  const isIPv6 = isReachable('IPv6') && (isIP(announced) === 6 || !isReachable('IPv4'));
  if (announced !== '') return [isIPv6 ? '::' : '0.0.0.0'];
  const sorted = local
    .filter(({ family }) => family === (isIPv6 ? 'IPv6' : 'IPv4'))
    .sort((a, b) => Number(a.internal) - Number(b.internal));
  return [...new Set(sorted.map(({ address }) => address))];
}
