import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { SipSpec } from '@calls/api-contract/call-spec';
import { familyOf } from '@calls/foundation/address-network';
import type { SipConfig } from './sip-config.ts';

/** A listening address and the one announced to peers of its family. */
interface SipSide {
  host: string;
  address: string;
}

const ANY = new Set(['0.0.0.0', '::']);

/** Returns the announced address of each listening address. Rejects if a host name has no address of a family. */
export function sipSides({ announced, listen }: Pick<SipConfig, 'announced' | 'listen'>): Promise<SipSide[]> {
  return Promise.all(
    listen.map(async (host) => {
      const family = familyOf(host);
      const given = announced.find((each) => isIP(each) === family);
      const name = announced.find((each) => isIP(each) === 0);
      const looked = name === undefined ? undefined : (await lookup(name, { family })).address;
      const own = ANY.has(host) ? firstAddress(family) : host;
      return { host, address: given ?? looked ?? own };
    }),
  );
}

/** The address of the first interface that other machines can reach, otherwise the loopback address. */
function firstAddress(family: 4 | 6): string {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = addresses.find(
    (each) => each.family === `IPv${family}` && !each.internal && !/^fe[89ab]/iu.test(each.address),
  );
  return found?.address ?? (family === 4 ? '127.0.0.1' : '::1');
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

/** Callers that hide their number have the host `anonymous.invalid` (RFC 3323, 4.1.1.3). */
const HIDDEN = /(?:^|\.)invalid$/iu;

/**
 * The transfer target as a SIP URI. A phone number gets the host of the other side, or of its `contact` if that host is
 * hidden or missing. Without any, it becomes a `tel:` URI.
 */
export function transferUri(
  target: string,
  { direction, to, from }: Pick<SipSpec, 'direction' | 'to' | 'from'>,
  contact = '',
): string {
  if (/^sips?:/iu.test(target)) return target;
  // A `tel:` URI is sent to the host of `from`.
  for (const address of [direction === 'outgoing' ? to : from, from, contact]) {
    const { host = '', port = '' } = ADDRESS.exec(address)?.groups ?? {};
    if (host !== '' && !HIDDEN.test(host)) return `sip:${target}@${host}${port}`;
  }
  return `tel:${target}`;
}
