const HOST = String.raw`(?<host>\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?`;
/** `user@host`, as a `sip:` or `sips:` URI or bare, in angle brackets behind a name, with a port and parameters. */
const ADDRESS = new RegExp(
  String.raw`^(?:(?:"[^"\x00-\x1f]*" *|[^"<>@:\x00-\x1f]*)<)?(?:sips?:(?:[^@\s<>"]+@)?|[^@:\s<>"]+@)${HOST}(?:;[^;?\s<>"]*)*>?$`,
  'iu',
);
const TEL = /^tel:\+?[\d().*#-]+$/iu;
const USER = /^[\w+.*#%-]+$/u;
/** Separators in written phone numbers. */
const SEPARATORS = /[ ().-]/gu;

/** The issue of an address over TLS if media-workers have no TLS. */
export const NO_SIP_TLS = 'must not use TLS (sips: or transport=tls): SIP_TLS is not set for this service';

/** Whether a SIP address has a host. */
export function isSipHost(text: string): boolean {
  return ADDRESS.test(text) && text.includes('<') === text.endsWith('>');
}

/** The `transport` parameter of a SIP address, in lower case; null without one. */
export function sipTransport(text: string): string | null {
  return /;transport=(?<transport>[^;>\s]*)/iu.exec(text)?.groups?.['transport']?.toLowerCase() ?? null;
}

/** Whether calls to a SIP address use TLS. */
export function isSipOverTls(text: string): boolean {
  return /^(?:[^<]*<)?sips:/iu.test(text) || sipTransport(text) === 'tls';
}

export function isTelUri(text: string): boolean {
  return TEL.test(text);
}

/** The user part if the text is that alone, such as a phone number, which may have separators; null for other text. */
export function sipUserOf(text: string): string | null {
  const number = text.replaceAll(SEPARATORS, '');
  if (/^\+\d+$/u.test(number)) return number;
  return USER.test(text) ? text : null;
}

/** The number of a `tel:` URI, without separators. */
export function telNumberOf(uri: string): string {
  return uri.slice('tel:'.length).replaceAll(SEPARATORS, '');
}

/** Adds the host of `to` if `from` has none: most trunks own their numbers. */
export function fromAddress(from: string, to: string): string {
  const host = ADDRESS.exec(to)?.groups?.['host'];
  const user = sipUserOf(from);
  return user !== null && host !== undefined ? `sip:${user}@${host}` : from;
}
