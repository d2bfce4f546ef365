import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { MIN_SECRET_LENGTH } from '@calls/foundation/variable';
import { AppError } from '@calls/foundation/errors';
import { errors, jwtVerify, type CryptoKey } from 'jose';

export interface JoinClaims {
  callId: string;
  /** Wall time of expiry. */
  expiresAtMs: number;
}

export interface JoinTokens {
  sign(claims: JoinClaims): Promise<string>;
  /** Null for a token that is malformed, forged, for another purpose, or expired. */
  verify(token: string): Promise<{ callId: string } | null>;
}

const ALGORITHM = 'HS256';
const AUDIENCE = 'join';
/** Valid tokens are shorter; longer text is not parsed. */
const MAX_TOKEN_LENGTH = 1024;

/**
 * Signs and verifies the tokens in join URLs. `secrets`: newest first; the first one signs, all verify. Processes that
 * share the first one accept each other's tokens.
 */
export function createJoinTokens(secrets: readonly string[], wallMs: () => number = Date.now): JoinTokens {
  if (secrets.length === 0 || secrets.some((secret) => secret.length < MIN_SECRET_LENGTH)) {
    throw new AppError(
      'weak_secret',
      `the join token secret must have at least ${MIN_SECRET_LENGTH} characters`,
    );
  }
  // Imports the keys once rather than for each token.
  const [newest = ''] = secrets;
  const signingKey = createSecretKey(newest, 'utf8');
  const ready = Promise.all(secrets.map(importKey));
  return {
    sign: (claims) => Promise.resolve(signedWith(signingKey, claims)),
    async verify(token) {
      if (token.length > MAX_TOKEN_LENGTH) return null;
      for (const key of await ready) {
        const claims = await verifyWith(key, token, wallMs());
        if (claims !== 'other key') return claims;
      }
      return null;
    },
  };
}

/**
 * Signs without jose, because each created or listed call needs a signature: this uses no pool thread and copies
 * nothing.
 */
function signedWith(key: KeyObject, { callId, expiresAtMs }: JoinClaims): string {
  const claims = { aud: AUDIENCE, sub: callId, exp: Math.ceil(expiresAtMs / 1000) };
  const content = `${base64Url({ alg: ALGORITHM })}.${base64Url(claims)}`;
  return `${content}.${createHmac('sha256', key).update(content).digest('base64url')}`;
}

function base64Url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function importKey(secret: string): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  return crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, [
    'sign',
    'verify',
  ]);
}

async function verifyWith(
  key: CryptoKey,
  token: string,
  nowMs: number,
): Promise<{ callId: string } | null | 'other key'> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      audience: AUDIENCE,
      requiredClaims: ['sub', 'exp'],
      currentDate: new Date(nowMs),
    });
    return payload.sub === undefined ? null : { callId: payload.sub };
  } catch (thrown) {
    if (thrown instanceof errors.JWSSignatureVerificationFailed) return 'other key';
    if (thrown instanceof errors.JOSEError) return null;
    throw thrown;
  }
}
