import { createHash } from 'node:crypto';
import {
  personLegStateValidator,
  type PersonLegState,
  type StoredDialog,
} from '@calls/api-contract/bus/stored-dialog';
import type { Seal } from '@calls/bus/call-seal';
import type { ConnectionStatus } from '@calls/bus/connection';
import type { LeaseStore } from '@calls/bus/leases';
import type { StoredDialogs } from '@calls/bus/stored-dialogs';
import type { WorkerHeartbeats } from '@calls/bus/worker-heartbeats';
import { delay, withTimeout, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { CallHost } from '../../calls/call-host.ts';
import { endPersonLeg } from './end-person-leg.ts';
import type { SipDeps } from '../leg/sip-leg.ts';
import { SipCallFailover } from './sip-call-failover.ts';
import { FailoverStages } from './failover-stages.ts';
import { WorkerWatch, type WorkerLiveness } from './worker-watch.ts';

export interface SipFailoverOptions {
  workerId: string;
  bus: {
    connection: Pick<ConnectionStatus, 'connectedForMs'>;
    dialogs: Pick<StoredDialogs, 'find' | 'of' | 'put' | 'remove' | 'workers'>;
    leases: Pick<LeaseStore, 'find' | 'holds'>;
    heartbeats: Pick<WorkerHeartbeats, 'isAlive' | 'send' | 'sendReleased' | 'subscribe'>;
  };
  seal: Seal<StoredDialog>;
  deps: SipDeps;
  /** Tracks a call until its end. */
  track: (call: Promise<void>) => void;
  clock: Clock;
  log: Logger;
}

type Host = Pick<CallHost, 'checkLeases' | 'failOver'>;

/** How long a worker waits for each worker before it in the order of a call. */
const TURN_MS = 400;
/** Pause before another attempt, if no worker had room or the bus failed. */
const RETRY_MS = 1000;
/** Time limit for checks that fail. Reconnecting to the bus takes up to a second. */
const CHECKS_LIMIT_MS = 3000;
const CHECK_LIMIT_MS = 3000;
const CHECK_AGAIN_MS = 100;
/** After this number of attempts, a control-plane ends the call. */
const MAX_ATTEMPTS = 10;

/**
 * Continues answered SIP calls of workers that died, froze or stopped. Each worker detects that on its own. All use the
 * same order of workers for a call, and the lease decides.
 */
export class SipFailover implements AsyncDisposable {
  readonly #options: SipFailoverOptions;
  readonly #watch: WorkerWatch;
  readonly #subscription: Disposable;
  readonly #stages = new FailoverStages();
  readonly #closed = new AbortController();
  /** Takes over calls. */
  #host: Host | null = null;
  /** Runs the calls of this worker, even while it drains. */
  #runner: Pick<Host, 'checkLeases'> | null = null;
  #onLost: (workerId: string) => void = () => undefined;

  constructor(options: SipFailoverOptions) {
    this.#options = options;
    const { workerId, bus, clock } = options;
    this.#watch = new WorkerWatch({
      workerId,
      heartbeats: bus.heartbeats,
      connection: bus.connection,
      takesCalls: () => this.#host !== null,
      onLost: (lost) => {
        this.#onLost(lost);
        this.#run('failed to take over the SIP calls of a lost worker', () => this.#failOverAll(lost));
      },
      onPaused: () => void this.checkLeases(),
      clock,
    });
    this.#subscription = bus.heartbeats.subscribe(workerId, {
      onHeartbeat: (heartbeat) => this.#watch.received(heartbeat),
      onReleased: ({ workerId: from, callId, to }) => {
        if (from === workerId) return;
        this.#run('failed to take over a released SIP call', async () => {
          const found = await bus.dialogs.find(from, callId);
          if (found) await this.#failOver(found, from, to);
        });
      },
    });
  }

  /** Whether another worker takes over calls now. */
  get hasSuccessor(): boolean {
    const { workerId } = this.#options;
    return this.#watch.candidates().some((taker) => taker !== workerId);
  }

  livenessOf(workerId: string): WorkerLiveness {
    return this.#watch.livenessOf(workerId);
  }

  /** Calls `listener` for each worker that is lost from now on. Replaces the previous listener. */
  onLost(listener: (workerId: string) => void): void {
    this.#onLost = listener;
  }

  /** Runs the calls that this worker takes over with `host`. With null, this worker takes over no more calls. */
  setHost(host: Host | null): void {
    this.#host = host;
    if (!host) return;
    this.#runner = host;
    // The workers of these calls may have died before this one started.
    this.#run('failed to look for SIP calls without a worker', async () => {
      for (const each of await this.#options.bus.dialogs.workers()) this.#watch.expect(each);
    });
  }

  /**
   * Drops calls that another worker has taken while this process did not run. Repeats a check that fails, because the
   * bus may have closed the connection, or this process is busy with what it missed. Gives up if the bus stays
   * unreachable, because other workers cannot take calls then. Does not reject.
   */
  async checkLeases(): Promise<void> {
    const { bus, clock, log } = this.#options;
    const deadlineMs = clock.nowMs() + CHECKS_LIMIT_MS;
    for (;;) {
      try {
        const checked = this.#runner?.checkLeases() ?? Promise.resolve();
        await withTimeout(clock, checked, CHECK_LIMIT_MS, 'the check of leases');
        return;
      } catch (thrown) {
        if (this.#closed.signal.aborted) return;
        if (clock.nowMs() >= deadlineMs && bus.connection.connectedForMs === 0) {
          log.error({ err: toError(thrown) }, 'failed to check leases after a pause of this process');
          return;
        }
      }
      await delay(clock, CHECK_AGAIN_MS);
    }
  }

  /**
   * Reports a call without an owner and with a stored state, so that another worker takes it. `to`: the worker that has
   * prepared to.
   */
  released(callId: string, to?: string): void {
    const { bus, workerId } = this.#options;
    bus.heartbeats.sendReleased({ workerId, callId, ...(to !== undefined && { to }) });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    this.#watch[Symbol.dispose]();
    this.#subscription[Symbol.dispose]();
    return Promise.resolve();
  }

  async #failOverAll(from: string): Promise<void> {
    if (!this.#host) return;
    const { bus, log } = this.#options;
    const dialogs = await bus.dialogs.of(from);
    if (dialogs.length === 0) return;
    log.warn({ lost: from, calls: dialogs.length }, 'media-worker lost; taking over its SIP calls');
    await Promise.all(dialogs.map((dialog) => this.#failOver(dialog, from)));
  }

  async #failOver(stored: StoredDialog, from: string, prepared?: string): Promise<void> {
    const { clock, log } = this.#options;
    const { callId } = stored;
    const person = this.#personOf(stored);
    const failover = new SipCallFailover({ ...this.#options, stages: this.#stages, from, stored });
    const endPerson = (state: PersonLegState, isForced: boolean): Promise<boolean> =>
      endPersonLeg({ ...this.#options, from, stored, state, isForced });
    let pauseMs = rankOf(this.#options.workerId, callId, this.#watch.candidates(), prepared) * TURN_MS;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await delay(clock, pauseMs, this.#closed.signal);
      try {
        if (!this.#host) return;
        if (await (person ? endPerson(person, false) : failover.attempt(this.#host))) return;
      } catch (thrown) {
        log.warn({ callId, err: toError(thrown) }, 'failed to take over SIP call; retrying');
      }
      pauseMs = RETRY_MS;
    }
    if (person) return void (await endPerson(person, true));
    log.error({ callId }, 'gave up taking over SIP call');
    await failover.giveUp();
  }

  /** Null for the call of a user, and for records that this release cannot read. */
  #personOf(stored: StoredDialog): PersonLegState | null {
    const { seal } = this.#options;
    const state: unknown = JSON.parse(seal.open(stored).state);
    return personLegStateValidator.issues(state).length === 0 ? personLegStateValidator.parse(state) : null;
  }

  #run(failure: string, work: () => Promise<void>): void {
    work().catch((thrown: unknown) => {
      if (!this.#closed.signal.aborted) this.#options.log.error({ err: toError(thrown) }, failure);
    });
  }
}

/** Position of the worker in the order in which workers try to take the call. The one that is prepared comes first. */
export function rankOf(
  workerId: string,
  callId: string,
  candidates: readonly string[],
  prepared?: string,
): number {
  if (workerId === prepared) return 0;
  const weightOf = (id: string): string => createHash('sha256').update(`${callId} ${id}`).digest('hex');
  const own = weightOf(workerId);
  return candidates.filter((taker) => taker === prepared || (taker !== workerId && weightOf(taker) < own))
    .length;
}
