import { lookup } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { SipConfig } from './sip-config.ts';

/** The IPv4 address that peers are told. Rejects where a name has none. */
export async function announcedAddress({
  announced,
  listen,
}: Pick<SipConfig, 'announced' | 'listen'>): Promise<string> {
  if (announced === '') return listen || firstLocalAddress(networkInterfaces());
  return isIPv4(announced) ? announced : (await lookup(announced, { family: 4 })).address;
}

/** That of the first interface to others, where there is one. */
export function firstLocalAddress(interfaces: ReturnType<typeof networkInterfaces>): string {
  const addresses = Object.values(interfaces).flatMap((each) => each ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
