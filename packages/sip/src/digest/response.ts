import { createHash } from 'node:crypto';

/** The fields that a digest covers (RFC 7616, 3.4.1). */
export interface DigestInput {
  hash: 'md5' | 'sha256';
  isSession: boolean;
  username: string;
  realm: string;
  nonce: string;
  method: string;
  uri: string;
  /** Null without qop (RFC 2069). */
  qop: { nonceCount: string; cnonce: string } | null;
  /** Client nonce, used by session algorithms without qop. */
  cnonce: string;
}

/** The `response` of a digest. */
export function digestResponse(input: DigestInput, password: string): string {
  const { username, realm, nonce, method, uri, qop, cnonce, isSession } = input;
  const hash = (text: string): string => createHash(input.hash).update(text).digest('hex');
  const secret = hash(`${username}:${realm}:${password}`);
  const first = isSession ? hash(`${secret}:${nonce}:${cnonce}`) : secret;
  const between = qop ? `${nonce}:${qop.nonceCount}:${qop.cnonce}:auth` : nonce;
  return hash(`${first}:${between}:${hash(`${method}:${uri}`)}`);
}
