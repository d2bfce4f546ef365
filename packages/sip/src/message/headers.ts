import { splitOutside } from './separated.ts';

/** In message order. Names may repeat and are case-insensitive. */
export type SipHeaders = readonly (readonly [name: string, value: string])[];

const COMPACT: Readonly<Record<string, string>> = {
  a: 'Accept-Contact',
  b: 'Referred-By',
  c: 'Content-Type',
  d: 'Request-Disposition',
  e: 'Content-Encoding',
  f: 'From',
  i: 'Call-ID',
  j: 'Reject-Contact',
  k: 'Supported',
  l: 'Content-Length',
  m: 'Contact',
  o: 'Event',
  r: 'Refer-To',
  s: 'Subject',
  t: 'To',
  u: 'Allow-Events',
  v: 'Via',
  x: 'Session-Expires',
};

/** Names whose usual spelling is not one capital after each hyphen. */
const SPELLINGS: Readonly<Record<string, string>> = {
  'call-id': 'Call-ID',
  cseq: 'CSeq',
  'mime-version': 'MIME-Version',
  'min-se': 'Min-SE',
  'www-authenticate': 'WWW-Authenticate',
  'sip-etag': 'SIP-ETag',
};

/** The usual spelling: `i` and `call-id` become `Call-ID`. */
export function headerName(name: string): string {
  const lower = name.toLowerCase();
  const full = lower.length === 1 ? COMPACT[lower] : undefined;
  return full ?? SPELLINGS[lower] ?? lower.replaceAll(/(?<=^|-)[a-z]/gu, (letter) => letter.toUpperCase());
}

interface WithHeaders {
  readonly headers: SipHeaders;
}

/** The first value; null if absent. */
export function headerOf({ headers }: WithHeaders, name: string): string | null {
  return headers.find((header) => isNamed(header, name))?.[1] ?? null;
}

/** All values, one per header line. */
export function headersOf({ headers }: WithHeaders, name: string): string[] {
  return headers.filter((header) => isNamed(header, name)).map(([, value]) => value);
}

/** The elements of all comma-separated headers of that name. */
export function listOf(message: WithHeaders, name: string): string[] {
  return headersOf(message, name)
    .flatMap((value) => splitOutside(value, ','))
    .filter((element) => element !== '');
}

/** Whether a token list has the token, ignoring case. */
export function hasToken(message: WithHeaders, name: string, token: string): boolean {
  return listOf(message, name).some((element) => element.toLowerCase() === token.toLowerCase());
}

function isNamed([name]: readonly [string, string], wanted: string): boolean {
  return name.length === wanted.length && name.toLowerCase() === wanted.toLowerCase();
}
