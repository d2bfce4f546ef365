import type { Holder } from '@calls/bus/leases';
import { WORKER_TTL_MS, type WorkerDirectory } from '@calls/bus/worker-directory';
import type { Clock, Timer } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { Providers } from '@calls/providers/registry';
import type { Slots } from './admission/slots.ts';
import type { CallHost } from './calls/call-host.ts';
import type { CallRegistry } from './calls/call-registry.ts';

const ANNOUNCE_EVERY_MS = 2000;

export interface AnnouncementOptions {
  holder: Holder;
  workers: Pick<WorkerDirectory, 'announce' | 'withdraw'>;
  host: Pick<CallHost, 'checkLeases'>;
  calls: Pick<CallRegistry, 'size'>;
  slots: Pick<Slots, 'usable'>;
  /** Why this worker does not support WebRTC now; null if it does. */
  webRtcFault: () => string | null;
  providers: Pick<Providers, 'engines'>;
  clock: Clock;
  log: Logger;
}

/** Refreshes this worker's record in the directory of workers until disposed. */
export class Announcement implements AsyncDisposable {
  readonly #options: AnnouncementOptions;
  #draining = false;
  #announcedMs: number;
  #timer: Timer;

  private constructor(options: AnnouncementOptions) {
    this.#options = options;
    this.#announcedMs = options.clock.nowMs();
    this.#timer = this.#schedule();
  }

  /** Resolves when the worker is in the directory. */
  static async start(options: AnnouncementOptions): Promise<Announcement> {
    const announcement = new Announcement(options);
    await announcement.#announce();
    return announcement;
  }

  /** Announces from now on that this worker takes no new calls. */
  drain(): void {
    this.#draining = true;
    void this.#tick();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer.cancel();
    const { workers, holder } = this.#options;
    await workers.withdraw(holder.workerId);
  }

  #schedule(): Timer {
    return this.#options.clock.setTimer(ANNOUNCE_EVERY_MS, () => {
      this.#timer = this.#schedule();
      void this.#tick();
    });
  }

  async #tick(): Promise<void> {
    const { clock, host, log } = this.#options;
    try {
      const awayMs = clock.nowMs() - this.#announcedMs;
      await this.#announce();
      // Other workers may have considered this one dead, because it was paused or disconnected.
      if (awayMs > WORKER_TTL_MS) await host.checkLeases();
    } catch (thrown) {
      log.warn({ err: toError(thrown) }, 'heartbeat failed');
    }
  }

  async #announce(): Promise<void> {
    const { workers, holder, calls, slots, webRtcFault, providers, clock } = this.#options;
    const record = {
      ...holder,
      capacity: slots.usable,
      activeCalls: calls.size,
      draining: this.#draining,
      webRtcFault: webRtcFault(),
      engines: providers.engines(),
    };
    await workers.announce(record);
    this.#announcedMs = clock.nowMs();
  }
}
