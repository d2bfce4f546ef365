import { timingSafeEqual } from 'node:crypto';
import { AppError } from '@calls/foundation/errors';
import { randomAlphanumeric } from '@calls/foundation/ids';
import { InvalidVariableError } from '@calls/foundation/variable';
import type { KeyAttempts } from './key-attempts.ts';
import { hashOf } from './api-key.ts';
import { limited, unauthorized } from '../problems/problem.ts';

/** The name that the audit log shows, and the SHA-256 of the token. */
export interface AdminToken {
  readonly name: string;
  readonly hash: Buffer;
}

const ENTRY = /^(?<name>[\w.@-]{1,64}):(?<hash>[\da-f]{64})$/u;
const MAX_TOKENS = 20;
const TOKEN_LENGTH = 40;

/** `name:hash` pairs, separated by commas. */
export function parseAdminTokens(text: string): readonly AdminToken[] {
  const entries = text.split(',').map((entry) => ENTRY.exec(entry.trim())?.groups);
  const tokens = entries.flatMap((entry) =>
    entry ? [{ name: entry['name'] ?? '', hash: Buffer.from(entry['hash'] ?? '', 'hex') }] : [],
  );
  const names = new Set(tokens.map(({ name }) => name));
  if (tokens.length < entries.length)
    throw new InvalidVariableError('must be name:hash pairs, as `npm run admin -- new-token` prints them');
  if (names.size < tokens.length) throw new InvalidVariableError('must have a different name for each token');
  if (tokens.length > MAX_TOKENS) throw new InvalidVariableError(`must have at most ${MAX_TOKENS} tokens`);
  return tokens;
}

/** Returns the name of the token. Throws 401, and 429 after too many wrong tokens from the address. */
export function checkAdminToken(
  tokens: readonly AdminToken[],
  attempts: KeyAttempts,
  { authorization, address }: { authorization: string | undefined; address: string },
): string {
  const given = hashOf(/^Bearer (\S+)$/u.exec(authorization ?? '')?.[1] ?? '');
  // Compares with every hash, so that the time does not depend on which one matches.
  const [match] = tokens.filter(({ hash }) => timingSafeEqual(hash, given));
  if (match) return match.name;
  const waitMs = attempts.take(address);
  if (waitMs > 0)
    throw limited('api_rate', 'Too many wrong admin tokens were sent from this address.', waitMs);
  throw unauthorized('A valid admin token is required in the Authorization header, as `Bearer <token>`.');
}

/** A new token and its entry for `ADMIN_TOKENS`, for people. */
export function newAdminToken(name: string): string {
  const token = randomAlphanumeric(TOKEN_LENGTH);
  const entry = `${name}:${hashOf(token).toString('hex')}`;
  if (!ENTRY.test(entry))
    throw new AppError('usage', 'The name must have 1 to 64 characters, only A-Z a-z 0-9 . _ @ -');
  return `token (store it; it is shown only now): ${token}\nentry for ADMIN_TOKENS: ${entry}`;
}
