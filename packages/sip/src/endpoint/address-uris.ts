import { readNameAddress, writeNameAddress, type NameAddress } from '../message/name-address.ts';
import { decodedUser, readSipUri, readTelNumber, writeSipUri } from '../message/uri.ts';
import type { SipParty } from '../calls.ts';

/**
 * Parses a party as operators and users write it: a URI or `user@host`, with or without a display name. Null if
 * malformed.
 */
export function readParty(text: string): NameAddress | null {
  const trimmed = text.trim();
  // Parameters of a bare URI belong to the URI.
  const address = readNameAddress(trimmed.includes('<') ? trimmed : `<${trimmed}>`);
  const uri = address && withScheme(address.uri);
  return address && uri && (readSipUri(uri) || readTelNumber(uri) !== null) ? { ...address, uri } : null;
}

/** The request URI for an INVITE to `to`. A `tel:` URI is sent to the host of `from`, over its transport; null if `from` has none. */
export function requestUri(to: NameAddress, from: NameAddress): string | null {
  const number = readTelNumber(to.uri);
  if (number === null) return to.uri;
  const host = readSipUri(from.uri);
  if (!host) return null;
  const parameters = new Map<string, string | null>([['user', 'phone']]);
  const transport = host.parameters.get('transport');
  if (transport) parameters.set('transport', transport);
  return writeSipUri({ ...host, user: number.replaceAll(/[().-]/gu, ''), parameters });
}

/** Returns a From or To value with this tag. */
export function taggedParty(party: NameAddress, tag: string | null): string {
  const parameters = new Map(tag === null ? [] : [['tag', tag] as const]);
  return writeNameAddress({ ...party, parameters });
}

export function partyOf({ displayName, uri }: NameAddress): SipParty {
  const sip = readSipUri(uri);
  if (!sip) return { displayName, uri, user: readTelNumber(uri) ?? '', host: '' };
  return {
    displayName,
    uri: uri.split('?')[0] ?? uri,
    user: decodedUser(sip.user),
    host: sip.host.toLowerCase(),
  };
}

function withScheme(text: string): string {
  return /^(?:sips?|tel):/iu.test(text) ? text : `sip:${text}`;
}
