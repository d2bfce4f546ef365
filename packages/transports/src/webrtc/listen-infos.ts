import type { NetworkInterfaceInfo } from 'node:os';
import type { types } from 'mediasoup';

export interface RtcAddresses {
  /** '' listens on every local IPv4 address, or on 0.0.0.0 if `announced` is set. */
  listen: string;
  /** The address announced to clients; '': the listening address. */
  announced: string;
}

/** Listening addresses of a mediasoup worker, best first: UDP, then TCP. */
export function listenInfos(
  { listen, announced }: RtcAddresses,
  port: number,
  interfaces: Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>,
): types.TransportListenInfo[] {
  const addresses = listen === '' ? (announced === '' ? localAddresses(interfaces) : ['0.0.0.0']) : [listen];
  return (['udp', 'tcp'] as const).flatMap((protocol) =>
    addresses.map((ip) => ({ protocol, ip, port, ...(announced !== '' && { announcedAddress: announced }) })),
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
