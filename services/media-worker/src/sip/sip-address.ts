import { lookup } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { SipSpec } from '@calls/api-contract/call-spec';
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

/**
 * `sip:user:password@host:port;parameters`, optionally without the scheme or with a display name. IPv6 addresses are in
 * brackets.
 */
const ADDRESS =
  /^(?:[^<]*<)?(?!tel:)(?:sips?:)?(?:[^@<>\s]*@)?(?<host>\[[^\]\s]*\]|[\w.-]+)(?<port>:\d{1,5})?/iu;

/** The host of a SIP address without port; null if it has none. */
export function hostOf(address: string): string | null {
  return ADDRESS.exec(address)?.groups?.['host'] ?? null;
}

/** The user of a SIP URI, as written; null if it has none. */
export function userOf(uri: string): string | null {
  return /^sips?:(?<user>[^@;:?<>\s]+)(?::[^@]*)?@/iu.exec(uri)?.groups?.['user'] ?? null;
}

/** The transfer target as a SIP URI. A phone number gets the host of the other side. */
export function transferUri(
  target: string,
  { direction, to, from }: Pick<SipSpec, 'direction' | 'to' | 'from'>,
): string {
  if (/^sips?:/iu.test(target)) return target;
  // A `tel:` URI is sent to the host of `from`.
  const groups = ADDRESS.exec(direction === 'outgoing' ? to : from)?.groups ?? ADDRESS.exec(from)?.groups;
  const { host, port = '' } = groups ?? {};
  return host === undefined ? `tel:${target}` : `sip:${target}@${host}${port}`;
}
