import type { SipHeaders } from '../message/headers.ts';
import { quoted, readParameters, splitOutside } from '../message/separated.ts';

/** The credentials of an Authorization or Proxy-Authorization header. */
export interface DigestAuthorization {
  username: string;
  realm: string;
  nonce: string;
  uri: string;
  algorithm: DigestAlgorithm;
  /** Eight hexadecimal digits; null without qop (RFC 2069). */
  nonceCount: string | null;
  cnonce: string;
  /** Lower case. */
  response: string;
}

const DIGEST_ALGORITHMS = ['SHA-256', 'MD5'] as const;
export type DigestAlgorithm = (typeof DIGEST_ALGORITHMS)[number];

const RESPONSE_LENGTH: Readonly<Record<DigestAlgorithm, number>> = { 'SHA-256': 64, MD5: 32 };
const MAX_TEXT = 256;

/** The first credentials for the realm that can be verified; null if there are none. */
export function readAuthorization(headers: SipHeaders, realm: string): DigestAuthorization | null {
  for (const [name, value] of headers) {
    if (!/^(?:proxy-)?authorization$/iu.test(name)) continue;
    const authorization = parsed(value);
    if (authorization?.realm === realm) return authorization;
  }
  return null;
}

function parsed(value: string): DigestAuthorization | null {
  const listed = /^Digest\s+(?<rest>.*)$/isu.exec(value)?.groups?.['rest'];
  if (listed === undefined) return null;
  const parameters = readParameters(splitOutside(listed, ','));
  const text = (name: string): string => parameters.get(name) ?? '';
  const algorithm = DIGEST_ALGORITHMS.find((each) => each === (text('algorithm') || 'MD5').toUpperCase());
  const response = text('response').toLowerCase();
  const [username, realm, nonce, uri, cnonce] = ['username', 'realm', 'nonce', 'uri', 'cnonce'].map(text);
  if (!algorithm || response.length !== RESPONSE_LENGTH[algorithm] || !/^[\da-f]+$/u.test(response))
    return null;
  if (!username || !realm || !nonce || !uri || cnonce === undefined) return null;
  if ([username, realm, nonce, uri, cnonce].some((each) => each.length > MAX_TEXT)) return null;
  const qop = text('qop').toLowerCase();
  const nonceCount = text('nc').toLowerCase();
  const isCounted = qop === 'auth' && /^[\da-f]{8}$/u.test(nonceCount) && cnonce !== '';
  if (qop !== '' && !isCounted) return null;
  return {
    username,
    realm,
    nonce,
    uri,
    algorithm,
    nonceCount: qop === '' ? null : nonceCount,
    cnonce,
    response,
  };
}

/** WWW-Authenticate headers, preferred algorithm first (RFC 8760). `isStale`: the nonce has expired, the password may be right. */
export function challengeHeaders(realm: string, nonce: string, isStale: boolean): SipHeaders {
  const stale = isStale ? ', stale=true' : '';
  return DIGEST_ALGORITHMS.map((algorithm) => [
    'WWW-Authenticate',
    `Digest realm=${quoted(realm)}, nonce=${quoted(nonce)}, algorithm=${algorithm}, qop="auth"${stale}`,
  ]);
}
