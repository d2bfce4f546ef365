import { systemClock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import type { Bucket } from './bucket.ts';

/**
 * With larger differences, join timeouts and tokens expire early: one service sets them, and another one checks them.
 */
const MAX_ERROR_MS = 5000;

/**
 * Compares this machine's clock with that of the bus server, which dates the announcements of workers. While workers
 * run, the last one is at most `ttlMs` old.
 */
export class ClockCheck {
  readonly #announcements: Bucket;
  readonly #ttlMs: number;
  readonly #log: Logger;
  #state: 'ok' | 'degraded' = 'ok';

  constructor(announcements: Bucket, ttlMs: number, log: Logger) {
    this.#announcements = announcements;
    this.#ttlMs = ttlMs;
    this.#log = log;
  }

  /**
   * `degraded`: this machine is more than 5 s behind, or more than 5 s and `ttlMs` ahead. Logs changes. Without
   * workers, returns the last state.
   */
  async check(wallMs = systemClock.wallMs()): Promise<'ok' | 'degraded'> {
    const errorMs = await this.#errorMs(wallMs);
    if (errorMs === null) return this.#state;
    const state = Math.abs(errorMs) > MAX_ERROR_MS ? 'degraded' : 'ok';
    if (state !== this.#state && state === 'degraded')
      this.#log.error(
        { clockErrorMs: errorMs },
        'clock differs from that of the NATS server; calls may be rejected or end early: synchronize both machines',
      );
    else if (state !== this.#state) this.#log.info({}, 'clock is in sync with the NATS server again');
    this.#state = state;
    return state;
  }

  /** Least difference that explains the age of the last announcement; positive if this machine is ahead. */
  async #errorMs(wallMs: number): Promise<number | null> {
    const { streamInfo } = await this.#announcements.use('check of the clock', (kv) => kv.status());
    const { messages, last_ts: lastAnnouncement } = streamInfo.state;
    if (messages === 0) return null;
    const ageMs = wallMs - Date.parse(lastAnnouncement);
    return ageMs < 0 ? ageMs : Math.max(0, ageMs - this.#ttlMs);
  }
}
