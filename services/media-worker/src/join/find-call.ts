import type { Bus } from '@calls/bus/bus';
import type { Holder, KnownLease } from '@calls/bus/leases';
import type { Clock } from '@calls/foundation/clock';
import type { CallHost } from '../calls/call-host.ts';
import type { CallRegistry } from '../calls/call-registry.ts';
import type { HostedCall } from '../calls/hosted-call.ts';
import type { WorkerLiveness } from '../sip/failover/worker-watch.ts';

/** Where to serve a joining client, or why it is rejected. */
export type CallLocation =
  | { kind: 'here'; call: HostedCall }
  | { kind: 'there'; holder: Holder }
  | { kind: 'nowhere'; reason: 'unknown_call' | 'no_capacity' };

export interface CallFinderOptions {
  bus: { connection: Pick<Bus['connection'], 'connected'> } & {
    callLogs: Pick<Bus['callLogs'], 'last'>;
    commands: Pick<Bus['commands'], 'isServed'>;
    leases: Pick<Bus['leases'], 'find' | 'holds'>;
  };
  workerId: string;
  calls: Pick<CallRegistry, 'find' | 'get'>;
  host: Pick<CallHost, 'failOver'>;
  /** Whether the worker runs. Not all workers are known. */
  livenessOf: (workerId: string) => WorkerLiveness;
  clock: Clock;
}

/** How long a client that is faster than the bus waits for its call to be admitted. */
export const CALL_WAIT_MS = 5000;
/** How often the lease of such a call is looked up. */
const POLL_INTERVAL_MS = 250;
const MAX_MOVES = 5;
/** Number of times that a live worker is asked whether it serves a call. Each request takes up to a second. */
const MAX_ATTEMPTS = 3;

/** Finds the worker that serves a call; takes over calls without a worker. */
export class CallFinder {
  readonly #options: CallFinderOptions;

  constructor(options: CallFinderOptions) {
    this.#options = options;
  }

  /** Rejects with a retryable error if the bus is unavailable. Does not take over a call for a client that has left. */
  async find(callId: string, hasLeft: () => boolean): Promise<CallLocation> {
    const { bus, workerId, calls, clock } = this.#options;
    const untilMs = clock.nowMs() + CALL_WAIT_MS;
    for (let moves = 0; moves < MAX_MOVES;) {
      const call = calls.get(callId);
      if (call) {
        if (await this.#isOurs(call)) return { kind: 'here', call };
        call.abandon();
        moves += 1;
        continue;
      }
      const lease = await bus.leases.find(callId);
      if (lease && !lease.call) return UNKNOWN;
      if (lease && lease.holder?.workerId !== workerId) {
        const found = await this.#follow(lease, hasLeft);
        if (found) return found;
        moves += 1;
        continue;
      }
      // No worker has admitted the call, or this one is about to.
      const leftMs = untilMs - clock.nowMs();
      if (leftMs <= 0) return (await this.#hasEnded(callId)) ? UNKNOWN : NO_CAPACITY;
      const admitted = await calls.find(callId, Math.min(POLL_INTERVAL_MS, leftMs));
      if (admitted) return { kind: 'here', call: admitted };
    }
    return NO_CAPACITY;
  }

  /** A control-plane ends calls that no worker has admitted. Others still wait in the queue. */
  async #hasEnded(callId: string): Promise<boolean> {
    return (await this.#options.bus.callLogs.last(callId))?.event.body.type === 'ended';
  }

  /**
   * Returns false if another worker has taken over the call. Returns true if that is unknown: the connected client
   * stays connected.
   */
  async #isOurs({ lease }: HostedCall): Promise<boolean> {
    const { bus } = this.#options;
    return !bus.connection.connected || (await bus.leases.holds(lease).catch(() => true));
  }

  /** Null if the lease changed in the meantime. */
  async #follow(lease: KnownLease, hasLeft: () => boolean): Promise<CallLocation | null> {
    const { host } = this.#options;
    const { holder } = lease;
    if (holder && (await this.#isServed(lease.callId, holder))) return { kind: 'there', holder };
    if (hasLeft()) return UNKNOWN;
    const result = await host.failOver(lease);
    switch (result.kind) {
      case 'continued':
        return { kind: 'here', call: result.call };
      case 'no_capacity':
        return NO_CAPACITY;
      case 'over':
        return UNKNOWN;
      case 'moved':
        return null;
    }
  }

  /** Returns whether the holder serves the call. A live worker may be too busy to respond immediately. */
  async #isServed(callId: string, { workerId }: Holder): Promise<boolean> {
    const { bus, livenessOf } = this.#options;
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      if (livenessOf(workerId) === 'lost') return false;
      if (await bus.commands.isServed(callId)) return true;
      if (livenessOf(workerId) !== 'alive') return false;
    }
    return false;
  }
}

const UNKNOWN: CallLocation = { kind: 'nowhere', reason: 'unknown_call' };
const NO_CAPACITY: CallLocation = { kind: 'nowhere', reason: 'no_capacity' };
