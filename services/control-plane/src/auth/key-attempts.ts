import { networkOf } from '@calls/foundation/address-network';
import type { Clock } from '@calls/foundation/clock';

/** Invalid keys per address and minute. */
export const MAX_ATTEMPTS = 60;
const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 10_000;

interface Window {
  attempts: number;
  untilMs: number;
}

/** Counts invalid keys per address. A bounded number of addresses is stored; the oldest is dropped first. */
export class KeyAttempts {
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts an attempt and returns 0, or returns how long this address has to wait without counting. */
  take(address: string): number {
    const network = networkOf(address);
    const nowMs = this.#clock.nowMs();
    const window = this.#current(network, nowMs);
    if (window.attempts >= MAX_ATTEMPTS) return window.untilMs - nowMs;
    window.attempts += 1;
    return 0;
  }

  #current(network: string, nowMs: number): Window {
    const known = this.#windows.get(network);
    if (known && known.untilMs > nowMs) return known;
    const window = { attempts: 0, untilMs: nowMs + WINDOW_MS };
    this.#windows.delete(network);
    this.#windows.set(network, window);
    if (this.#windows.size > MAX_ADDRESSES) {
      const [oldest] = this.#windows.keys();
      if (oldest !== undefined) this.#windows.delete(oldest);
    }
    return window;
  }
}
