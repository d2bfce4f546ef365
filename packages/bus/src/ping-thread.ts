import { Worker } from 'node:worker_threads';
import { systemClock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { MonitoredThread } from '@calls/foundation/monitored-thread';
import { MainHeartbeat, type PingThreadData } from './ping-thread-messages.ts';

/** Time limit of a ping that a thread answers. The thread only waits for a processor. */
export const THREAD_PING_LIMIT_MS = 350;

/** Responds to pings of other workers in a thread, so that a busy main thread is not mistaken for a frozen process. */
export class PingThread implements AsyncDisposable {
  readonly #beat = new MainHeartbeat();
  #thread: MonitoredThread | null = null;
  #isConnected = false;

  /** Rejects if the thread does not start. */
  static async start({ url, name, subject }: Omit<PingThreadData, 'beat'>, log: Logger): Promise<PingThread> {
    const ping = new PingThread();
    ping.beat();
    const workerData: PingThreadData = { url, name, subject, beat: ping.#beat.memory };
    const onMessage = (message: unknown): void => {
      ping.#isConnected = message === 'connected';
    };
    ping.#thread = await MonitoredThread.start({
      name: 'ping',
      start: () =>
        new Worker(new URL('./ping-thread-entry.ts', import.meta.url), { name: 'ping', workerData }),
      onReady: onMessage,
      onMessage,
      onLost: () => undefined,
      log,
      clock: systemClock,
    });
    return ping;
  }

  /** False while the thread is being replaced, or disconnected from the bus. */
  get isReady(): boolean {
    return this.#isConnected && this.#thread?.isReady === true;
  }

  /** Call it while the main thread runs. After two seconds without a call, pings are not answered. */
  beat(): void {
    this.#beat.beat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread?.[Symbol.asyncDispose]();
  }
}
