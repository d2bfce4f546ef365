import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '@calls/foundation';
import type { KeyHolder } from '@calls/store';
import { hashOf, isApiKey, prefixOf } from './api-key.ts';

const REMEMBER_MS = 5000;
const MAX_REMEMBERED = 10_000;

interface Remembered {
  holder: Promise<KeyHolder | null>;
  untilMs: number;
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
    return holder;
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
    this.#remembered.set(prefix, { holder, untilMs: nowMs + REMEMBER_MS });
    holder.catch(() => this.#remembered.delete(prefix));
    if (this.#remembered.size > MAX_REMEMBERED) {
      const [oldest] = this.#remembered.keys();
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
    return holder;
  }
}
