import { createHash } from 'node:crypto';
import {
  sipCallStateValidator,
  type SipCallState,
  type StoredDialog,
} from '@calls/api-contract/bus/stored-dialog';
import type { Seal } from '@calls/bus/call-seal';
import type { ConnectionStatus } from '@calls/bus/connection';
import type { KnownLease, LeaseStore } from '@calls/bus/leases';
import type { StoredDialogs } from '@calls/bus/stored-dialogs';
import type { WorkerPulses } from '@calls/bus/worker-pulses';
import { delay, type Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { CallHost } from '../calls/call-host.ts';
import { hangUpPeer, resumeCall, type ResumedCall } from './resume-call.ts';
import type { SipDeps } from './sip-leg.ts';
import { WorkerWatch } from './worker-watch.ts';

export interface SipFailoverOptions {
  workerId: string;
  bus: {
    connection: Pick<ConnectionStatus, 'connectedForMs'>;
    dialogs: Pick<StoredDialogs, 'find' | 'of' | 'put' | 'remove' | 'workers'>;
    leases: Pick<LeaseStore, 'find'>;
    pulses: Pick<WorkerPulses, 'isAlive' | 'send' | 'sendReleased' | 'subscribe'>;
  };
  seal: Seal<StoredDialog>;
  deps: SipDeps;
  /** Tracks a call until its end. */
  track: (call: Promise<void>) => void;
  clock: Clock;
  log: Logger;
}

type Host = Pick<CallHost, 'checkLeases' | 'takeOver'>;

/** Time for the workers before this one in the order of a call. */
const TURN_MS = 400;
/** Pause before another attempt, if no worker had room or the bus failed. */
const RETRY_MS = 1000;
/** After these, a control-plane ends the call. */
const MAX_ATTEMPTS = 10;
const AT_A_TIME = 25;

/**
 * Continues answered SIP calls of workers that died, froze or stopped. Each worker detects that on its own. All agree on
 * who takes a call first; the lease decides.
 */
export class SipFailover implements AsyncDisposable {
  readonly #options: SipFailoverOptions;
  readonly #watch: WorkerWatch;
  readonly #subscription: Disposable;
  readonly #closed = new AbortController();
  #host: Host | null = null;

  constructor(options: SipFailoverOptions) {
    this.#options = options;
    const { workerId, bus, clock } = options;
    this.#watch = new WorkerWatch({
      workerId,
      pulses: bus.pulses,
      connection: bus.connection,
      takesCalls: () => this.#host !== null,
      onLost: (lost) => {
        this.#run('failed to take over the SIP calls of a lost worker', () => this.#takeAll(lost));
      },
      onPaused: () =>
        this.#run('failed to check leases after a pause of this process', async () =>
          this.#host?.checkLeases(),
        ),
      clock,
    });
    this.#subscription = bus.pulses.subscribe(workerId, {
      onPulse: (pulse) => this.#watch.pulsed(pulse),
      onReleased: ({ workerId: from, callId }) => {
        if (from === workerId) return;
        this.#run('failed to take over a released SIP call', async () => {
          const found = await bus.dialogs.find(from, callId);
          if (found) await this.#take(found, from);
        });
      },
    });
  }

  /** Whether another worker takes over calls now. */
  get hasSuccessor(): boolean {
    const { workerId } = this.#options;
    return this.#watch.takers().some((taker) => taker !== workerId);
  }

  /** Calls are run by `host` from now on; null: this worker takes over no more. */
  takeFor(host: Host | null): void {
    this.#host = host;
    if (!host) return;
    // Their workers may have died before this one started.
    this.#run('failed to look for SIP calls without a worker', async () => {
      for (const each of await this.#options.bus.dialogs.workers()) this.#watch.expect(each);
    });
  }

  /** A call without an owner, whose state is stored: another worker may take it. */
  released(callId: string): void {
    const { bus, workerId } = this.#options;
    bus.pulses.sendReleased({ workerId, callId });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    this.#watch[Symbol.dispose]();
    this.#subscription[Symbol.dispose]();
    return Promise.resolve();
  }

  async #takeAll(from: string): Promise<void> {
    if (!this.#host) return;
    const { bus, log } = this.#options;
    const dialogs = await bus.dialogs.of(from);
    if (dialogs.length === 0) return;
    log.warn({ lost: from, calls: dialogs.length }, 'media worker is lost; taking over its SIP calls');
    const waiting = dialogs.values();
    const takers = Array.from({ length: Math.min(AT_A_TIME, dialogs.length) }, async () => {
      for (const dialog of waiting) await this.#take(dialog, from);
    });
    await Promise.all(takers);
  }

  async #take(stored: StoredDialog, from: string): Promise<void> {
    const { clock, log } = this.#options;
    const { callId } = stored;
    const rank = rankOf(this.#options.workerId, callId, this.#watch.takers());
    let pauseMs = rank * TURN_MS;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await delay(clock, pauseMs, this.#closed.signal);
      try {
        if (await this.#tryTake(stored, from)) return;
      } catch (thrown) {
        log.warn({ callId, err: toError(thrown) }, 'failed to take over SIP call; retrying');
      }
      pauseMs = RETRY_MS;
    }
    log.error({ callId }, 'gave up taking over SIP call');
  }

  /** False if this worker has no room for the call. */
  async #tryTake(stored: StoredDialog, from: string): Promise<boolean> {
    const { bus, seal, deps } = this.#options;
    const host = this.#host;
    const { callId } = stored;
    if (!host) return true;
    const lease = await bus.leases.find(callId);
    if (!isLeft(lease, stored, from)) {
      // Its worker died before it could remove the record.
      if (!lease?.call) await bus.dialogs.remove(from, callId);
      return true;
    }
    const { spec } = lease.call;
    if (spec.medium.kind !== 'sip') return true;
    const state = sipCallStateValidator.parse(JSON.parse(seal.open(stored).state));
    const taken = await host.takeOver(lease, (call, callLog) => this.#resume(call, state, callLog));
    if (taken.kind === 'no_capacity') return false;
    if (taken.kind === 'moved') return true;
    // A call without a stored conversation has ended now.
    if (taken.kind === 'over') this.#options.track(hangUpPeer(deps, spec.medium, state));
    await bus.dialogs.remove(from, callId);
    return true;
  }

  #resume(call: ResumedCall, state: SipCallState, callLog: Logger): void {
    const { deps, track } = this.#options;
    const { medium } = call.spec;
    if (medium.kind !== 'sip') return;
    track(
      resumeCall(deps, call, medium, state, callLog).catch(async (thrown: unknown) => {
        callLog.error({ err: toError(thrown) }, 'failed to continue SIP call of another worker');
        call.end('system_error');
        await hangUpPeer(deps, medium, state);
      }),
    );
  }

  #run(failure: string, work: () => Promise<void>): void {
    work().catch((thrown: unknown) => {
      if (!this.#closed.signal.aborted) this.#options.log.error({ err: toError(thrown) }, failure);
    });
  }
}

/** Whether the worker that wrote the state of the call had its lease last. */
function isLeft(
  lease: KnownLease | null,
  { epoch }: Pick<StoredDialog, 'epoch'>,
  from: string,
): lease is KnownLease & { call: NonNullable<KnownLease['call']> } {
  if (!lease?.call || lease.epoch !== epoch) return false;
  return lease.holder === null || lease.holder.workerId === from;
}

/** Position of the worker in the order in which workers try to take the call. */
export function rankOf(workerId: string, callId: string, takers: readonly string[]): number {
  const weightOf = (id: string): string => createHash('sha256').update(`${callId} ${id}`).digest('hex');
  const own = weightOf(workerId);
  return takers.filter((taker) => taker !== workerId && weightOf(taker) < own).length;
}
