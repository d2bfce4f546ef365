import type { MediumSpec } from '@calls/api-contract/call-spec';
import type { Handovers } from '@calls/bus/handovers';
import type { WorkerDirectory } from '@calls/bus/worker-directory';
import { delay, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { HostedCall } from './hosted-call.ts';

export interface SuccessorsOptions {
  workerId: string;
  handovers: Pick<Handovers, 'request'>;
  workers: Pick<WorkerDirectory, 'list'>;
  clock: Clock;
  log: Logger;
}

type WorkerRecord = Awaited<ReturnType<WorkerDirectory['list']>>[number];

export const RETRY_MS = 500;

/** Finds workers that continue the calls of this worker when it stops. */
export class Successors {
  readonly #options: SuccessorsOptions;
  /** Number of calls given to each worker. The worker records, up to 2 s old, may not count these calls. */
  readonly #given = new Map<string, number>();
  #isWaiting = false;

  constructor(options: SuccessorsOptions) {
    this.#options = options;
  }

  /**
   * Resolves with a worker that has reserved a slot for the call and has prepared to continue it. Waits while no worker
   * has room. Resolves with null if `signal` aborts first, or the call has left this worker.
   */
  async find(
    call: Pick<HostedCall, 'callId' | 'isLive' | 'spec'>,
    signal: AbortSignal,
  ): Promise<string | null> {
    const { clock, log } = this.#options;
    while (call.isLive && !signal.aborted) {
      const found = await this.#attempt(call).catch((thrown: unknown) => {
        log.warn({ callId: call.callId, err: toError(thrown) }, 'failed to prepare handover; retrying');
        return null;
      });
      if (found !== null) return found;
      await delay(clock, RETRY_MS, signal).catch(() => undefined);
    }
    return null;
  }

  /**
   * Makes the worker continue a call, after the call's log is complete. Returns false if the worker does not. Does not
   * reject.
   */
  async take(callId: string, workerId: string): Promise<boolean> {
    const { handovers, log, workerId: from } = this.#options;
    try {
      return (await handovers.request(workerId, { step: 'take', callId, from })) === 'accepted';
    } catch (thrown) {
      log.warn({ callId, err: toError(thrown) }, 'failed to hand over call to the worker that was prepared');
      return false;
    }
  }

  async #attempt({ callId, spec }: Pick<HostedCall, 'callId' | 'spec'>): Promise<string | null> {
    const { handovers, workerId: from, log } = this.#options;
    for (const { workerId } of await this.#candidates(spec.medium)) {
      const outcome = await handovers.request(workerId, { step: 'prepare', callId, from });
      if (outcome === 'accepted') {
        this.#given.set(workerId, (this.#given.get(workerId) ?? 0) + 1);
        return workerId;
      }
    }
    if (!this.#isWaiting) log.warn({ callId }, 'no other worker has room; calls wait to be handed over');
    this.#isWaiting = true;
    return null;
  }

  /** Returns the workers with the most free slots first. */
  async #candidates({ kind }: MediumSpec): Promise<WorkerRecord[]> {
    const { workers, workerId } = this.#options;
    const room = ({ workerId: id, capacity, activeCalls }: WorkerRecord): number =>
      capacity - activeCalls - (this.#given.get(id) ?? 0);
    return (await workers.list())
      .filter(
        (worker) =>
          worker.workerId !== workerId &&
          !worker.draining &&
          (kind !== 'webRtc' || (worker.webRtcFault ?? null) === null),
      )
      .sort((a, b) => room(b) - room(a));
  }
}
