import type { Logger } from '@calls/foundation/logger';
import type { Bus } from '@calls/bus/bus';
import {
  holdersOfJoinedCalls,
  joinedCallsOf,
  listOverdueCalls,
  type OverdueCall,
} from '@calls/store/tables/calls';
import { endByLog, type CallToEnd, type EndByLogDeps } from './end-by-log.ts';
import { MissingWorkers } from './missing-workers.ts';

/** A worker ends calls in time itself; these are for calls that no worker holds, or whose worker is lost. */
const UNJOINED_GRACE_MS = 15_000;
const JOINED_GRACE_MS = 60_000;
/** After a worker's record has run out: the time for its clients to come back elsewhere. */
const MISSING_GRACE_MS = 6000;
/** After an outage of the bus workers have to find it again before any can be missed. */
const SETTLED_MS = 15_000;
const BATCH = 100;
const AT_A_TIME = 10;

export interface LostCallsDeps extends EndByLogDeps {
  bus: EndByLogDeps['bus'] &
    Pick<Bus, 'connected' | 'connectedForMs' | 'isServed' | 'readCallLog' | 'workers'>;
  log: Logger;
}

/** Ends calls that no worker will end any more. Any number of control-planes may do so at once. */
export class LostCalls {
  readonly #deps: LostCallsDeps;
  readonly #missing = new MissingWorkers(MISSING_GRACE_MS);

  constructor(deps: LostCallsDeps) {
    this.#deps = deps;
  }

  /** Joined calls whose worker is gone, and whose clients have not come back: `system_error`. */
  async endOrphans(): Promise<void> {
    const { db, bus, clock } = this.#deps;
    if (bus.connectedForMs < SETTLED_MS) {
      this.#missing.forget();
      return;
    }
    const holders = await holdersOfJoinedCalls(db);
    const live = new Set((await bus.workers.list()).map(({ workerId }) => workerId));
    for (const workerId of this.#missing.look(holders, live, clock.nowMs())) {
      const calls = await joinedCallsOf(db, workerId, BATCH);
      const orphans = calls.map((call): CallToEnd => ({
        ...call,
        endReason: 'system_error',
        endedAtMs: null,
      }));
      await this.#endAll(orphans, 'orphan');
    }
  }

  /** Calls whose time is long over: `unjoined`; `system_error` where a client was there and found nobody. */
  async endOverdue(): Promise<void> {
    const { db, bus } = this.#deps;
    // While the bus is away the workers' own events can't come.
    if (!bus.connected) return;
    const limits = { unjoinedGraceMs: UNJOINED_GRACE_MS, joinedGraceMs: JOINED_GRACE_MS, limit: BATCH };
    const overdue = await listOverdueCalls(db, limits);
    const calls = overdue.map(({ expiresAtMs, wasRefused, ...call }: OverdueCall): CallToEnd => {
      if (call.joinedAtMs !== null) return { ...call, endReason: 'system_error', endedAtMs: null };
      return { ...call, endReason: wasRefused ? 'system_error' : 'unjoined', endedAtMs: expiresAtMs };
    });
    await this.#endAll(calls, 'overdue');
  }

  /** One that can't be ended keeps no other from it. */
  async #endAll(calls: readonly CallToEnd[], why: 'orphan' | 'overdue'): Promise<void> {
    const outcomes: PromiseSettledResult<void>[] = [];
    for (let i = 0; i < calls.length; i += AT_A_TIME) {
      const some = calls.slice(i, i + AT_A_TIME).map((call) => this.#end(call, why));
      outcomes.push(...(await Promise.allSettled(some)));
    }
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #end(call: CallToEnd, why: 'orphan' | 'overdue'): Promise<void> {
    const { callId } = call;
    // Rows lag behind: another worker may have taken it over.
    if (why === 'orphan' && (await this.#deps.bus.isServed(callId))) return;
    // Or somebody has joined it, and its time is another.
    if (why === 'overdue' && call.joinedAtMs === null && (await this.#isJoined(callId))) return;
    await endByLog(this.#deps, call);
  }

  async #isJoined(callId: string): Promise<boolean> {
    const log = await this.#deps.bus.readCallLog(callId);
    const types = log.map(({ event }) => event.body.type);
    return types.includes('joined') && !types.includes('ended');
  }
}
