import { OVERTIME_MS, UNJOINED_GRACE_MS } from '@calls/api-contract/call-lifetime';
import type { Bus } from '@calls/bus/bus';
import type { ConnectionStatus } from '@calls/bus/connection';
import type { Logger } from '@calls/foundation/logger';
import {
  holdersOfJoinedCalls,
  joinedCallsOf,
  listOverdueCalls,
  type OverdueCall,
} from '@calls/store/tables/calls';
import { endByLog, type CallToEnd, type EndByLogDeps } from './end-by-log.ts';

/** Minimum time for other workers to take over the calls of a worker that has left the directory. */
const MIN_MISSING_GRACE_MS = 6000;
/** After a bus outage, workers need this time to register before they count as missing. */
const SETTLED_MS = 15_000;
const BATCH = 100;
const AT_A_TIME = 10;

type LinkState = Pick<ConnectionStatus, 'connected' | 'connectedForMs'>;

export interface LostCallsDeps extends EndByLogDeps {
  bus: EndByLogDeps['bus'] & Pick<Bus, 'commands' | 'workers'> & { connection: LinkState };
  log: Logger;
  /** How long clients may take to return. A worker leaves the directory after it has handed over its calls. */
  reconnectGraceMs: number;
}

/** Ends calls that no worker will end. Several control-planes may do so at the same time. */
export class LostCalls {
  readonly #deps: LostCallsDeps;
  readonly #missing: MissingWorkers;

  constructor(deps: LostCallsDeps) {
    this.#deps = deps;
    this.#missing = new MissingWorkers(Math.max(MIN_MISSING_GRACE_MS, deps.reconnectGraceMs));
  }

  /** Ends joined calls with `system_error` if their worker is lost and their clients have not reconnected. */
  async endOrphans(): Promise<void> {
    const { db, bus, clock } = this.#deps;
    if (bus.connection.connectedForMs < SETTLED_MS) {
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
      await this.#endAll(orphans);
    }
  }

  /** Ends calls past their deadline: `unjoined`, or `system_error` if a client was rejected for lack of capacity. */
  async endOverdue(): Promise<void> {
    const { db, bus } = this.#deps;
    // While the bus is disconnected, the workers' own end events cannot arrive.
    if (!bus.connection.connected) return;
    // Workers end their calls in time; these are without a worker, or with a lost one.
    const limits = { unjoinedGraceMs: UNJOINED_GRACE_MS, joinedGraceMs: OVERTIME_MS, limit: BATCH };
    const overdue = await listOverdueCalls(db, limits);
    const calls = overdue.map(({ expiresAtMs, wasRefused, ...call }: OverdueCall): CallToEnd => {
      if (call.joinedAtMs !== null) return { ...call, endReason: 'system_error', endedAtMs: null };
      return { ...call, endReason: wasRefused ? 'system_error' : 'unjoined', endedAtMs: expiresAtMs };
    });
    await this.#endAll(calls);
  }

  /** Ends a call that no worker serves, `unjoined`, unless its log says that a client has joined. */
  async endUnjoined({ callId, accountId }: Pick<CallToEnd, 'callId' | 'accountId'>): Promise<void> {
    if (await this.#isJoined(callId)) return;
    const endedAtMs = this.#deps.clock.wallMs();
    await endByLog(this.#deps, { callId, accountId, joinedAtMs: null, endReason: 'unjoined', endedAtMs });
  }

  /** A failure to end one call does not affect the others. */
  async #endAll(calls: readonly CallToEnd[]): Promise<void> {
    const outcomes: PromiseSettledResult<void>[] = [];
    for (let i = 0; i < calls.length; i += AT_A_TIME) {
      const some = calls.slice(i, i + AT_A_TIME).map((call) => this.#end(call));
      outcomes.push(...(await Promise.allSettled(some)));
    }
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #end(call: CallToEnd): Promise<void> {
    const { callId, joinedAtMs } = call;
    // The rows lag behind the bus: another worker may have taken over the call, or a client may have joined it since. A
    // worker that serves a call ends it in time, even if a clock was set forward since the call was joined.
    const isLive = joinedAtMs === null ? this.#isJoined(callId) : this.#deps.bus.commands.isServed(callId);
    if (!(await isLive)) await endByLog(this.#deps, call);
  }

  async #isJoined(callId: string): Promise<boolean> {
    const log = await this.#deps.bus.callLogs.read(callId);
    const types = log.map(({ event }) => event.body.type);
    return types.includes('joined') && !types.includes('ended');
  }
}

/**
 * Determines which workers have been missing long enough to count as lost. The caller passes times, in
 * milliseconds.
 */
export class MissingWorkers {
  readonly #graceMs: number;
  readonly #since = new Map<string, number>();

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  /** `holders`: workers that hold calls; `live`: registered workers. Returns the holders that are lost. */
  look(holders: readonly string[], live: ReadonlySet<string>, nowMs: number): string[] {
    const missing = new Set(holders.filter((workerId) => !live.has(workerId)));
    for (const workerId of this.#since.keys()) if (!missing.has(workerId)) this.#since.delete(workerId);
    for (const workerId of missing) if (!this.#since.has(workerId)) this.#since.set(workerId, nowMs);
    return [...this.#since].filter(([, sinceMs]) => nowMs - sinceMs >= this.#graceMs).map(([id]) => id);
  }

  /** Discards all observations. */
  forget(): void {
    this.#since.clear();
  }
}
