import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '@calls/foundation/clock';
import type { KeyHolder } from '@calls/store/tables/api-keys';
import { limited, unauthorized } from '../problems/problem.ts';
import { hashOf, isApiKey, prefixOf } from './api-key.ts';
import type { KeyAttempts } from './key-attempts.ts';
import type { KeyLookUps } from './key-look-ups.ts';

const REMEMBER_MS = 5000;
/** Precision of a key's time of last use. */
const RECORD_USE_MS = 60_000;
/** Maximum number of entries of each cache. */
const MAX_REMEMBERED = 10_000;

interface Remembered {
  holder: KeyHolder | null;
  untilMs: number;
}

/**
 * Looks up the holder of an API key. Results are cached for 5 s, so a revoked key stops working within that time. Known
 * and unknown prefixes have separate bounded caches, oldest dropped first, so unknown prefixes cannot displace known
 * ones.
 */
export class KeyAuthenticator {
  readonly #lookUps: Pick<KeyLookUps, 'find'>;
  readonly #clock: Clock;
  readonly #recordUse: (holder: KeyHolder, at: Date) => void;
  readonly #known = new Map<string, Remembered>();
  readonly #unknown = new Map<string, Remembered>();

  /** `recordUse` is called at most once a minute for each key, and must not throw. */
  constructor(
    lookUps: Pick<KeyLookUps, 'find'>,
    clock: Clock,
    recordUse: (holder: KeyHolder, at: Date) => void,
  ) {
    this.#lookUps = lookUps;
    this.#recordUse = recordUse;
    this.#clock = clock;
  }

  /** Null for a key that is malformed, unknown, revoked or expired. */
  async authenticate(key: string): Promise<KeyHolder | null> {
    if (!isApiKey(key)) return null;
    const holder = await this.#holderOf(prefixOf(key));
    if (!holder || !timingSafeEqual(holder.hash, hashOf(key))) return null;
    if (holder.expiresAt && holder.expiresAt.getTime() <= this.#clock.wallMs()) return null;
    this.#record(holder);
    return holder;
  }

  #record(holder: KeyHolder): void {
    const nowMs = this.#clock.wallMs();
    if (holder.lastUsedAt && nowMs - holder.lastUsedAt.getTime() < RECORD_USE_MS) return;
    holder.lastUsedAt = new Date(nowMs);
    this.#recordUse(holder, holder.lastUsedAt);
  }

  /** Removes a key from this process's cache. */
  forget(prefix: string): void {
    this.#known.delete(prefix);
  }

  /** Removes all keys of an account from this process's cache. */
  forgetAccount(accountId: string): void {
    for (const [prefix, { holder }] of this.#known)
      if (holder?.accountId === accountId) this.#known.delete(prefix);
  }

  async #holderOf(prefix: string): Promise<KeyHolder | null> {
    const nowMs = this.#clock.nowMs();
    const remembered = this.#known.get(prefix) ?? this.#unknown.get(prefix);
    if (remembered && remembered.untilMs > nowMs) return remembered.holder;
    const holder = await this.#lookUps.find(prefix);
    this.#known.delete(prefix);
    this.#unknown.delete(prefix);
    const kind = holder ? this.#known : this.#unknown;
    kind.set(prefix, { holder, untilMs: nowMs + REMEMBER_MS });
    const [oldest] = kind.keys();
    if (kind.size > MAX_REMEMBERED && oldest !== undefined) kind.delete(oldest);
    return holder;
  }
}

/**
 * Returns the holder of a key. Throws 401 if the key is not valid, and 429 after too many invalid keys from the
 * address.
 */
type KeyCheck = (key: string, address: string) => Promise<KeyHolder>;

/** A valid key always passes, so clients that share an address behind a proxy cannot block each other. */
export function createKeyCheck(keys: KeyAuthenticator, keyAttempts: KeyAttempts): KeyCheck {
  return async (key, address) => {
    const holder = await keys.authenticate(key);
    if (holder) return holder;
    const waitMs = isApiKey(key) ? keyAttempts.take(address) : 0;
    if (waitMs > 0)
      throw limited('api_rate', 'Too many invalid API keys were sent from this address.', waitMs);
    throw unauthorized();
  };
}
