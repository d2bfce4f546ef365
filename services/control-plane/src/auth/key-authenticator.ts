import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '@calls/foundation';
import type { KeyHolder } from '@calls/store';
import { hashOf, isApiKey, prefixOf } from './api-key.ts';

const REMEMBER_MS = 5000;
const MAX_REMEMBERED = 10_000;
/** For how long a key that was good is not taken for a guess. */
const TRUSTED_MS = 600_000;

interface Remembered {
  holder: Promise<KeyHolder | null>;
  untilMs: number;
  /** 0: it was not good. */
  trustedUntilMs: number;
}

/**
 * Tells whose key it is. What the store says is remembered for 5 s, so a revoked key stops working within that time; a
 * bounded number is remembered, the oldest goes first.
 */
export class KeyAuthenticator {
  readonly #find: (prefix: string) => Promise<KeyHolder | null>;
  readonly #clock: Clock;
  readonly #remembered = new Map<string, Remembered>();

  constructor(find: (prefix: string) => Promise<KeyHolder | null>, clock: Clock) {
    this.#find = find;
    this.#clock = clock;
  }

  /** Null for a key that is malformed, unknown, revoked or expired. */
  async authenticate(key: string): Promise<KeyHolder | null> {
    if (!isApiKey(key)) return null;
    const holder = await this.#lookUp(prefixOf(key));
    if (!holder || !timingSafeEqual(holder.hash, hashOf(key))) return null;
    if (holder.expiresAt && holder.expiresAt.getTime() <= this.#clock.wallMs()) return null;
    const remembered = this.#remembered.get(holder.prefix);
    if (remembered) remembered.trustedUntilMs = this.#clock.nowMs() + TRUSTED_MS;
    return holder;
  }

  /** Whether the store would be asked for a key that may be a guess. */
  mayBeGuess(key: string): boolean {
    if (!isApiKey(key)) return false;
    const known = this.#remembered.get(prefixOf(key));
    const nowMs = this.#clock.nowMs();
    return known === undefined || (known.untilMs <= nowMs && known.trustedUntilMs <= nowMs);
  }

  /** What was remembered of this key no longer counts, in this process. */
  forget(prefix: string): void {
    this.#remembered.delete(prefix);
  }

  #lookUp(prefix: string): Promise<KeyHolder | null> {
    const nowMs = this.#clock.nowMs();
    const known = this.#remembered.get(prefix);
    if (known && known.untilMs > nowMs) return known.holder;
    // Requests that come while the first look-up runs share it.
    const holder = this.#find(prefix);
    this.#remembered.delete(prefix);
    const trustedUntilMs = known?.trustedUntilMs ?? 0;
    this.#remembered.set(prefix, { holder, untilMs: nowMs + REMEMBER_MS, trustedUntilMs });
    holder.catch(() => this.#remembered.delete(prefix));
    if (this.#remembered.size > MAX_REMEMBERED) {
      const [oldest] = this.#remembered.keys();
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
    return holder;
  }
}
