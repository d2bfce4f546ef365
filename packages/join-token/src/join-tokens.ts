import { AppError } from '@calls/foundation';
import { errors, jwtVerify, SignJWT } from 'jose';

export interface JoinClaims {
  callId: string;
  /** Wall time from which on the token no longer opens the call. */
  expiresAtMs: number;
}

export interface JoinTokens {
  sign(claims: JoinClaims): Promise<string>;
  /** Null for a token that is malformed, forged, for another purpose, or expired. */
  verify(token: string): Promise<{ callId: string } | null>;
}

const ALGORITHM = 'HS256';
const AUDIENCE = 'join';
const MIN_SECRET_LENGTH = 16;
/** No honest token is longer; longer text isn't parsed. */
const MAX_TOKEN_LENGTH = 1024;

/** Signs and checks the tokens in join URLs. Every process that is given the same secret understands the tokens. */
export function createJoinTokens(secret: string, wallMs: () => number = Date.now): JoinTokens {
  if (secret.length < MIN_SECRET_LENGTH) {
    throw new AppError(
      'weak_secret',
      `the join token secret must have at least ${MIN_SECRET_LENGTH} characters`,
    );
  }
  // Made ready once; from raw bytes it would be made for each token.
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = new TextEncoder().encode(secret);
  const ready = crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify']);
  return {
    async sign({ callId, expiresAtMs }) {
      const key = await ready;
      return new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM })
        .setAudience(AUDIENCE)
        .setSubject(callId)
        .setExpirationTime(Math.ceil(expiresAtMs / 1000))
        .sign(key);
    },
    async verify(token) {
      if (token.length > MAX_TOKEN_LENGTH) return null;
      const key = await ready;
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          audience: AUDIENCE,
          requiredClaims: ['sub', 'exp'],
          currentDate: new Date(wallMs()),
        });
        return payload.sub === undefined ? null : { callId: payload.sub };
      } catch (thrown) {
        if (thrown instanceof errors.JOSEError) return null;
        throw thrown;
      }
    },
  };
}
