import { createHash, sign } from 'node:crypto';
import { ProviderError } from '@calls/engine-ports/provider-error';
import type { Clock } from '@calls/foundation/clock';
import { readServiceAccount, type ServiceAccount } from './service-account-key.ts';

const LIFETIME_S = 3600;
/** A token is replaced this long before it expires. */
const SPARE_S = 600;
const MAX_TOKENS = 1000;

interface Token {
  jwt: string;
  expiresAtS: number;
}

/**
 * Creates access tokens from service-account keys: JWTs for one API, signed with the key itself, which Google accepts.
 * They need no exchange at `token_uri`, so that a customer's key cannot make the service call an address of their
 * choice.
 */
export class ServiceAccountTokens {
  readonly #provider: string;
  readonly #audience: string;
  readonly #clock: Clock;
  readonly #tokens = new Map<string, Token>();

  constructor(provider: string, audience: string, clock: Clock) {
    this.#provider = provider;
    this.#audience = audience;
    this.#clock = clock;
  }

  /** Throws a ProviderError `unavailable` if the text is not such a key. */
  tokenOf(keyJson: string): string {
    const nowS = Math.floor(this.#clock.wallMs() / 1000);
    const id = createHash('sha256').update(keyJson).digest('base64');
    const known = this.#tokens.get(id);
    if (known && known.expiresAtS - SPARE_S > nowS) return known.jwt;
    const token = { jwt: this.#sign(keyJson, nowS), expiresAtS: nowS + LIFETIME_S };
    this.#tokens.delete(id);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size >= MAX_TOKENS && oldest !== undefined) this.#tokens.delete(oldest);
    this.#tokens.set(id, token);
    return token.jwt;
  }

  #sign(keyJson: string, nowS: number): string {
    const { email, keyId, key } = this.#read(keyJson);
    const head = { alg: 'RS256', typ: 'JWT', kid: keyId };
    const claims = { iss: email, sub: email, aud: this.#audience, iat: nowS, exp: nowS + LIFETIME_S };
    const signed = [head, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`;
  }

  #read(keyJson: string): ServiceAccount {
    const account = readServiceAccount(keyJson);
    if (account) return account;
    const message = 'the API key is not the JSON of a service-account key';
    throw new ProviderError(this.#provider, 'unavailable', message);
  }
}
