import { lookup } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { SipConfig } from './sip-config.ts';

/** The IPv4 address announced to peers. Rejects if a host name has none. */
export async function announcedAddress({
  announced,
  listen,
}: Pick<SipConfig, 'announced' | 'listen'>): Promise<string> {
  if (announced === '') return listen || firstLocalAddress(networkInterfaces());
  return isIPv4(announced) ? announced : (await lookup(announced, { family: 4 })).address;
}

/** The address of the first non-loopback interface, if any. */
export function firstLocalAddress(interfaces: ReturnType<typeof networkInterfaces>): string {
  const addresses = Object.values(interfaces).flatMap((each) => each ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
