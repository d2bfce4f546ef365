import type { SipSpec } from '@calls/api-contract/call-spec';

/** `sip:user:password@host:port;parameters`, with or without the scheme and a name before; an IPv6 address is in brackets. */
const ADDRESS =
  /^(?:[^<]*<)?(?!tel:)(?:sips?:)?(?:[^@<>\s]*@)?(?<host>\[[^\]\s]*\]|[\w.-]+)(?<port>:\d{1,5})?/iu;

/** The host of a SIP address, without port; null where there is none. */
export function hostOf(address: string): string | null {
  return ADDRESS.exec(address)?.groups?.['host'] ?? null;
}

/** The transfer target as a SIP URI. A phone number gets the host of the other side. */
export function transferUri(
  target: string,
  { direction, to, from }: Pick<SipSpec, 'direction' | 'to' | 'from'>,
): string {
  if (/^sips?:/iu.test(target)) return target;
  // A `tel:` URI is called at the host of `from`.
  const groups = ADDRESS.exec(direction === 'outgoing' ? to : from)?.groups ?? ADDRESS.exec(from)?.groups;
  const { host, port = '' } = groups ?? {};
  return host === undefined ? `tel:${target}` : `sip:${target}@${host}${port}`;
}
