import { networkInterfaces } from 'node:os';
import { reconnectDelayMs } from '@calls/foundation/backoff';
import type { Clock, Timer } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { createWorker, type types } from 'mediasoup';
import { listenInfos, type RtcAddresses } from './listen-infos.ts';

/** A worker that dies before this time is restarted with growing delays. */
const STEADY_AFTER_MS = 60_000;
const STOP_LIMIT_MS = 2000;

export interface PoolMemberOptions {
  workerBin: string;
  port: number;
  addresses: RtcAddresses;
  clock: Clock;
  log: Logger;
  /** The worker has died or could not be started. */
  onDeath: () => void;
}

export interface LiveWorker {
  readonly worker: types.Worker;
  readonly server: types.WebRtcServer;
}

/** One mediasoup worker process with its port. If it dies, a new one is started. */
export class PoolMember implements AsyncDisposable {
  /** Number of calls on this worker. */
  load = 0;
  readonly #options: PoolMemberOptions;
  #live: LiveWorker | null = null;
  #unavailableReason: string | null = 'the mediasoup worker is starting';
  #failures = 0;
  #closed = false;
  #timer: Timer | null = null;

  constructor(options: PoolMemberOptions) {
    this.#options = options;
  }

  get live(): LiveWorker | null {
    return this.#live;
  }

  /** Why the worker is not available; null if it is. */
  get unavailableReason(): string | null {
    return this.#unavailableReason;
  }

  /** Resolves when the worker runs or its first start has failed. */
  async start(): Promise<void> {
    const { workerBin, port, addresses, clock, log } = this.#options;
    let worker: types.Worker | null = null;
    try {
      worker = await spawn(workerBin);
      const server = await worker.createWebRtcServer({
        listenInfos: listenInfos(addresses, port, networkInterfaces()),
      });
      if (this.#closed) {
        await stop(worker, clock);
        return;
      }
      const startedMs = clock.nowMs();
      worker.on('died', (error) => {
        if (clock.nowMs() - startedMs >= STEADY_AFTER_MS) this.#failures = 0;
        this.#onDeath(error);
      });
      this.#live = { worker, server };
      this.#unavailableReason = null;
      log.info({ port, workerPid: worker.pid }, 'mediasoup worker started');
    } catch (thrown) {
      if (worker) await stop(worker, clock);
      if (!this.#closed) this.#onDeath(toError(thrown));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    const live = this.#live;
    this.#live = null;
    if (live) await stop(live.worker, this.#options.clock);
  }

  #onDeath(error: Error): void {
    const { port, clock, log, onDeath } = this.#options;
    this.#live = null;
    this.#failures += 1;
    this.#unavailableReason = `the mediasoup worker of port ${port} is not running: ${error.message}`;
    const restartInMs = reconnectDelayMs(this.#failures, Math.random());
    log.error({ port, err: error, restartInMs }, 'mediasoup worker not running; restarting');
    onDeath();
    this.#timer = clock.setTimer(restartInMs, () => void this.start());
  }
}

/** Disables mediasoup's own handling of SIGTERM and SIGINT: calls continue while the service drains. */
function spawn(workerBin: string): Promise<types.Worker> {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const before = signals.map((signal) => new Set(process.listeners(signal)));
  const created = createWorker({ workerBin, logLevel: 'warn' });
  for (const [i, signal] of signals.entries()) {
    for (const listener of process.listeners(signal)) {
      if (!before[i]?.has(listener)) process.removeListener(signal, listener);
    }
  }
  return created;
}

/** Kills a worker that does not exit. */
async function stop(worker: types.Worker, clock: Clock): Promise<void> {
  if (worker.subprocessClosed) return;
  const stopped = new Promise<void>((resolve) => {
    worker.once('subprocessclose', resolve);
  });
  const limit = clock.setTimer(STOP_LIMIT_MS, () => process.kill(worker.pid, 'SIGKILL'));
  worker.close();
  await stopped;
  limit.cancel();
}
