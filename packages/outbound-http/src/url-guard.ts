import { isIP } from 'node:net';
import type { AddressGuard } from './address-guard.ts';
import { OutboundRefusal } from './outbound-error.ts';

export type OutboundScheme = 'http:' | 'https:' | 'ws:' | 'wss:';

const MAX_URL_LENGTH = 8192;

/** Checks a URL without the DNS; throws an OutboundRefusal. Returns the parsed URL. */
export function assertAllowedUrl(
  text: string,
  schemes: readonly OutboundScheme[],
  addresses: AddressGuard,
): URL {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) throw new OutboundRefusal('malformed_url');
  const url = new URL(text);
  if (!schemes.some((scheme) => scheme === url.protocol)) throw new OutboundRefusal('scheme');
  if (url.username !== '' || url.password !== '') throw new OutboundRefusal('credentials');
  const host = hostOf(url);
  if (isIP(host) !== 0) addresses.assertAllowed(host);
  if (isLocalhost(host) && LOOPBACK.every((address) => addresses.refusalOf(address) !== null)) {
    throw new OutboundRefusal('loopback');
  }
  return url;
}

/** Addresses of names under `localhost`, which are not looked up (RFC 6761). */
export const LOOPBACK = ['127.0.0.1', '::1'] as const;

export function isLocalhost(hostname: string): boolean {
  return /^(?:.+\.)?localhost\.?$/iu.test(hostname);
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/u, '$1');
}
