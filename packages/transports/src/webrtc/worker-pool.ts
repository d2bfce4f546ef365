import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { setLogEventListeners, type types } from 'mediasoup';
import type { RtcAddresses } from './listen-infos.ts';
import { PoolMember, type LiveWorker } from './pool-member.ts';

/** The error when a router closes while it is being created: see MediaRoom. */
const CLOSED_TWICE = 'MediaSoupNotFoundError';

export interface WorkerPoolOptions {
  workerBin: string;
  /** Worker i listens on `port` + i, UDP and TCP; 0: each on a free port. */
  port: number;
  workers: number;
  addresses: RtcAddresses;
  clock: Clock;
  log: Logger;
  onDeath: () => void;
}

/** A slot for a call on a worker. It counts towards the load until disposed. */
export interface WorkerSlot extends LiveWorker, Disposable {}

/** The mediasoup workers of this process. */
export class WorkerPool implements AsyncDisposable {
  readonly #members: PoolMember[];

  private constructor(options: WorkerPoolOptions) {
    const { port, workers, ...rest } = options;
    this.#members = Array.from({ length: workers }, (_, i) => {
      return new PoolMember({ ...rest, port: port === 0 ? 0 : port + i });
    });
  }

  /** Resolves when each worker runs or its first start has failed. Failed workers are restarted. */
  static async start(options: WorkerPoolOptions): Promise<WorkerPool> {
    const { log } = options;
    setLogEventListeners({
      onwarn: (namespace, message) => log.warn({ namespace, message }, 'mediasoup warning'),
      onerror(namespace, message, error) {
        if (message.includes(CLOSED_TWICE)) log.debug({ namespace, message }, 'mediasoup error');
        else log.error({ namespace, message, err: error }, 'mediasoup error');
      },
    });
    const pool = new WorkerPool(options);
    await Promise.all(pool.#members.map((member) => member.start()));
    return pool;
  }

  /** Why no worker is running; null if at least one is. */
  get unavailableReason(): string | null {
    if (this.#members.some(({ live }) => live)) return null;
    return (
      this.#members.find(({ unavailableReason }) => unavailableReason)?.unavailableReason ??
      'no mediasoup worker is configured'
    );
  }

  /** Number of calls with a place. */
  get load(): number {
    return this.#members.reduce((sum, { load }) => sum + load, 0);
  }

  get workers(): types.Worker[] {
    return this.#members.flatMap(({ live }) => (live ? [live.worker] : []));
  }

  /** A place on the least loaded worker; null if none is running. */
  take(): WorkerSlot | null {
    const running = this.#members.filter(({ live }) => live).sort((a, b) => a.load - b.load);
    const [member] = running;
    if (!member?.live) return null;
    member.load += 1;
    let taken = true;
    return {
      ...member.live,
      [Symbol.dispose]() {
        if (taken) member.load -= 1;
        taken = false;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map((member) => member[Symbol.asyncDispose]()));
  }
}
