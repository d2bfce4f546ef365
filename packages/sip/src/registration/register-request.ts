import type { RegistrationOptions } from '../calls.ts';
import { headerOf, listOf, type SipHeaders } from '../message/headers.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { readNameAddress } from '../message/name-address.ts';
import { readServer, routeThrough } from '../message/server-address.ts';
import { readSipUri, writeSipUri, type SipUri } from '../message/uri.ts';

/** Where a registration's requests go. */
export interface RegistrarAddress {
  /** Request-URI: the registrar's domain. */
  uri: string;
  /** Address of record: value of From and To. */
  record: string;
  /** The first hop. */
  nextHop: string;
  routes: SipHeaders;
}

const NOT_IN_USER = /[^\w\-.!~*'()&=+$,;?/%]/gu;

/** Null if a server's address is malformed. */
export function registrarAddress({
  user,
  registrar,
  outboundProxy,
}: Pick<RegistrationOptions, 'user' | 'registrar' | 'outboundProxy'>): RegistrarAddress | null {
  const server = readServer(registrar);
  const proxy = outboundProxy === null ? null : routeThrough(outboundProxy);
  if (!server || (outboundProxy !== null && !proxy)) return null;
  const escaped = user.replaceAll(NOT_IN_USER, (character) => encodeURIComponent(character));
  const record = { ...server, user: escaped, port: null, parameters: new Map() };
  const uri = writeSipUri(server);
  return {
    uri,
    record: `<${writeSipUri(record)}>`,
    nextHop: proxy?.nextHop ?? uri,
    routes: proxy?.headers ?? [],
  };
}

/** The bindings that a 2xx lists. */
function bindingsOf(response: SipResponse): { uri: string; user: string | null; expiresS: number | null }[] {
  return listOf(response, 'Contact').flatMap((text) => {
    const address = readNameAddress(text);
    const uri = address && readSipUri(address.uri);
    if (!uri) return [];
    return [{ uri: address.uri, user: uri.user, expiresS: secondsOf(address.parameters.get('expires')) }];
  });
}

/** The lifetime that a 2xx grants to the binding of the request. */
export function grantedExpiresS(request: SipRequest, response: SipResponse, requestedS: number): number {
  const { own, others } = ownBindings(request, response);
  const binding = own ?? others[0];
  return binding?.expiresS ?? secondsOf(headerOf(response, 'Expires')) ?? requestedS;
}

/**
 * The bindings of earlier endpoints: those with the same Contact user at another address. Empty if the registrar does not
 * list the address of the request: it replaced the address, so the other one may be that of this endpoint.
 */
export function staleBindings(request: SipRequest, response: SipResponse): string[] {
  const { own, others } = ownBindings(request, response);
  return own ? others.map(({ uri }) => uri) : [];
}

/** The listed bindings with the Contact user of the request: that of the request, and others. */
function ownBindings(request: SipRequest, response: SipResponse) {
  const contact = contactUriOf(request);
  const user = readSipUri(contact)?.user;
  const bindings = bindingsOf(response).filter((binding) => binding.user === user);
  const own = bindings.find(({ uri }) => isSameUri(uri, contact));
  return { own, others: bindings.filter((binding) => binding !== own) };
}

function contactUriOf(message: SipRequest): string {
  return readNameAddress(headerOf(message, 'Contact') ?? '')?.uri ?? '';
}

/** Registrars may add parameters. */
function isSameUri(a: string, b: string): boolean {
  const [first, second] = [readSipUri(a), readSipUri(b)];
  return (
    first !== null &&
    second !== null &&
    first.user === second.user &&
    first.host.toLowerCase() === second.host.toLowerCase() &&
    (first.port ?? 0) === (second.port ?? 0) &&
    transportOf(first) === transportOf(second)
  );
}

function transportOf({ parameters }: SipUri): string {
  return parameters.get('transport')?.toLowerCase() ?? 'udp';
}

/** The seconds of Expires, Min-Expires or Retry-After, which may have a comment; null if malformed. */
export function secondsOf(text: string | null | undefined): number | null {
  const digits = /^\s*(?<digits>\d{1,9})\b/u.exec(text ?? '')?.groups?.['digits'];
  return digits === undefined ? null : Number(digits);
}
