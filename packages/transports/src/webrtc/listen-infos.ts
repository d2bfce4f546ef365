import type { NetworkInterfaceInfo } from 'node:os';
import type { types } from 'mediasoup';

export interface RtcAddresses {
  /** '': every local IPv4 address, or all of them as one where `announced` is given. */
  listen: string;
  /** The address announced to clients; '': the listening address. */
  announced: string;
}

/** Where a mediasoup worker listens, best first: UDP, then TCP. */
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

/** Those that others reach first. */
function localAddresses(interfaces: Readonly<Record<string, NetworkInterfaceInfo[] | undefined>>): string[] {
  const addresses = Object.values(interfaces)
    .flatMap((found) => found ?? [])
    .filter(({ family }) => family === 'IPv4');
  const sorted = addresses.sort((a, b) => Number(a.internal) - Number(b.internal));
  return [...new Set(sorted.map(({ address }) => address))];
}
