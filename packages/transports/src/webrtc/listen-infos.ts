import type { NetworkInterfaceInfo } from 'node:os';
import type { types } from 'mediasoup';

export interface RtcAddresses {
  /** '' listens on every local IPv4 address, or on 0.0.0.0 if `announced` is set. */
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
  interfaces: Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>,
): types.TransportListenInfo[] {
  const addresses = listen === '' ? (announced === '' ? localAddresses(interfaces) : ['0.0.0.0']) : [listen];
  const ports = { port, ...(port === 0 && { portRange: FREE_PORTS }) };
  const announcement = announced !== '' && { announcedAddress: announced };
  return (['udp', 'tcp'] as const).flatMap((protocol) =>
    addresses.map((ip) => ({ protocol, ip, ...ports, ...announcement })),
  );
}

/** Local addresses that other machines reach, best first. */
function localAddresses(interfaces: Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>): string[] {
  const addresses = Object.values(interfaces)
    .flatMap((found) => found ?? [])
    .filter(({ family }) => family === 'IPv4');
  const sorted = addresses.sort((a, b) => Number(a.internal) - Number(b.internal));
  return [...new Set(sorted.map(({ address }) => address))];
}
