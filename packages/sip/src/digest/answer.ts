import type { SipCredentials } from '../calls.ts';
import { quoted } from '../message/separated.ts';
import type { DigestChallenge } from './challenge.ts';
import { digestResponse } from './response.ts';

export interface DigestRequest {
  method: string;
  uri: string;
  /** Number of uses of this nonce, including this one. */
  nonceCount: number;
  /** Random client nonce. */
  cnonce: string;
}

/** Value of the header that answers `challenge` (RFC 7616; RFC 2069 if the peer has no qop). */
export function digestAnswer(
  challenge: DigestChallenge,
  { username, password }: SipCredentials,
  { method, uri, nonceCount, cnonce }: DigestRequest,
): string {
  const { hash, realm, nonce, opaque, algorithm, isSession, hasQop } = challenge;
  const count = nonceCount.toString(16).padStart(8, '0');
  const qop = hasQop ? { nonceCount: count, cnonce } : null;
  const input = { hash, isSession, username, realm, nonce, method, uri, qop, cnonce };
  const parts = [
    `username=${quoted(username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    `response="${digestResponse(input, password)}"`,
    ...(algorithm === null ? [] : [`algorithm=${algorithm}`]),
    ...(hasQop || isSession ? [`cnonce=${quoted(cnonce)}`] : []),
    ...(hasQop ? ['qop=auth', `nc=${count}`] : []),
    ...(opaque === null ? [] : [`opaque=${quoted(opaque)}`]),
  ];
  return `Digest ${parts.join(', ')}`;
}
