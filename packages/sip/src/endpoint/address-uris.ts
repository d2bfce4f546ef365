import { readNameAddress, writeNameAddress, type NameAddress } from '../message/name-address.ts';
import { decodedUser, readSipUri, readTelNumber } from '../message/uri.ts';
import type { SipParty } from '../calls.ts';

/** What an operator or a user writes for a party: a URI, or `user@host`, with a display name or not. Null where it is none. */
export function readParty(text: string): NameAddress | null {
  const trimmed = text.trim();
  // A bare URI has its parameters for itself.
  const address = readNameAddress(trimmed.includes('<') ? trimmed : `<${trimmed}>`);
  const uri = address && withScheme(address.uri);
  return address && uri && (readSipUri(uri) || readTelNumber(uri) !== null) ? { ...address, uri } : null;
}

/** The URI to send an INVITE for `to` to: a `tel:` URI goes to the host of `from`. Null where that has none. */
export function requestUri(to: NameAddress, from: NameAddress): string | null {
  const number = readTelNumber(to.uri);
  if (number === null) return to.uri;
  const host = readSipUri(from.uri);
  if (!host) return null;
  const port = host.port === null ? '' : `:${host.port}`;
  return `sip:${number.replaceAll(/[().-]/gu, '')}@${host.host}${port};user=phone`;
}

/** From or To of a request of ours, with that tag. */
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
