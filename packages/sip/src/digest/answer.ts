import { createHash } from 'node:crypto';
import type { SipCredentials } from '../calls.ts';
import { quoted } from '../message/separated.ts';
import type { DigestChallenge } from './challenge.ts';

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
  const { realm, nonce, opaque, algorithm, isSession, hasQop } = challenge;
  const hash = (text: string): string => createHash(challenge.hash).update(text).digest('hex');
  const count = nonceCount.toString(16).padStart(8, '0');
  const secret = hash(`${username}:${realm}:${password}`);
  const first = isSession ? hash(`${secret}:${nonce}:${cnonce}`) : secret;
  const second = hash(`${method}:${uri}`);
  const between = hasQop ? `${nonce}:${count}:${cnonce}:auth` : nonce;
  const parts = [
    `username=${quoted(username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    `response="${hash(`${first}:${between}:${second}`)}"`,
    ...(algorithm === null ? [] : [`algorithm=${algorithm}`]),
    ...(hasQop || isSession ? [`cnonce=${quoted(cnonce)}`] : []),
    ...(hasQop ? ['qop=auth', `nc=${count}`] : []),
    ...(opaque === null ? [] : [`opaque=${quoted(opaque)}`]),
  ];
  return `Digest ${parts.join(', ')}`;
}
