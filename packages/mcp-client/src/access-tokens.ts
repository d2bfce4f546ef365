import type { Clock } from '@calls/foundation/clock';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { AccessToken, TokenEndpoint, TokenGrant } from './client-credentials.ts';

interface CachedToken extends AccessToken {
  /** Time of the renewal, by `Clock.nowMs`. */
  renewAtMs: number;
}

/** Maximum number of tokens. Beyond it, the least recently used ones are dropped. */
const MAX_TOKENS = 1000;
const DEFAULT_LIFETIME_MS = 10 * 60_000;
/** Share of a token's lifetime after which it is renewed, so that it does not expire during a request. */
const RENEW_AFTER = 0.9;
const MAX_LIFETIME_MS = 24 * 3_600_000;

/** Access tokens for MCP servers. Requests that need the same token at the same time share one token request. */
export class AccessTokens {
  readonly #deps: { outbound: OutboundHttp; clock: Clock };
  /** The least recently used one first. */
  readonly #tokens = new Map<string, Promise<CachedToken>>();

  constructor({ outbound, clock }: { outbound: OutboundHttp; clock: Clock }) {
    this.#deps = { outbound, clock };
  }

  /** Returns a token that has not expired and is not `rejected`. Rejects with an McpError. */
  async get(grant: TokenGrant, rejected?: string): Promise<string> {
    const key = JSON.stringify(grant);
    const cached = this.#tokens.get(key);
    if (!cached) return (await this.#request(key, grant)).value;
    const token = await cached;
    if (token.value !== rejected && this.#deps.clock.nowMs() < token.renewAtMs) {
      if (this.#tokens.get(key) === cached) this.#store(key, cached);
      return token.value;
    }
    // A rejected token may be due to another authorization server: it is discovered again.
    const endpoint = token.value === rejected ? undefined : token.endpoint;
    const current = this.#tokens.get(key);
    const renewal =
      current === undefined || current === cached ? this.#request(key, grant, endpoint) : current;
    return (await renewal).value;
  }

  #request(key: string, grant: TokenGrant, endpoint?: TokenEndpoint): Promise<CachedToken> {
    const requested = this.#requested(grant, endpoint);
    this.#store(key, requested);
    requested.catch(() => {
      if (this.#tokens.get(key) === requested) this.#tokens.delete(key);
    });
    return requested;
  }

  async #requested(grant: TokenGrant, endpoint: TokenEndpoint | undefined): Promise<CachedToken> {
    // Imported on demand, because the module loads the SDK.
    const { requestAccessToken } = await import('./client-credentials.ts');
    const token = await requestAccessToken(grant, this.#deps, endpoint);
    const lifetimeMs = Math.min(token.lifetimeMs ?? DEFAULT_LIFETIME_MS, MAX_LIFETIME_MS);
    return { ...token, renewAtMs: this.#deps.clock.nowMs() + lifetimeMs * RENEW_AFTER };
  }

  #store(key: string, token: Promise<CachedToken>): void {
    this.#tokens.delete(key);
    this.#tokens.set(key, token);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > MAX_TOKENS && oldest !== undefined) this.#tokens.delete(oldest);
  }
}
