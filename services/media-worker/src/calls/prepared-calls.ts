import type { CallSpec } from '@calls/api-contract/call-spec';
import type { CallLogs, StoredCallLogEntry } from '@calls/bus/call-log';
import type { StageResolver } from '@calls/conversation/ports/tools';
import { rebuildCall } from '@calls/conversation/resume/rebuild-call';
import type { Clock, Timer } from '@calls/foundation/clock';
import type { Slots } from '../admission/slots.ts';
import { STAGE_LIMIT_MS } from './claim-call-log.ts';

/** What is known of a call of another worker before its lease is taken. */
export interface PreparedCall {
  /** The first entries of its log. */
  known: readonly StoredCallLogEntry[];
  /** Resolver that already has the current stage. */
  stages: StageResolver;
}

export interface PreparedCallsOptions {
  callLogs: Pick<CallLogs, 'read'>;
  slots: Pick<Slots, 'release' | 'tryReserve' | 'tryReserveJoined'>;
  stages: StageResolver;
  clock: Clock;
}

/** How long a slot stays reserved. The worker that asked has stopped by then. */
const PREPARED_LIMIT_MS = 10_000;

/**
 * Reserves slots for calls of other workers. For a call that is handed over, it does the work of a failover while the
 * user still talks to the other worker: it reads the log and rebuilds the conversation. It writes nothing.
 */
export class PreparedCalls {
  readonly #options: PreparedCallsOptions;
  readonly #calls = new Map<string, PreparedCall & { timer: Timer }>();

  constructor(options: PreparedCallsOptions) {
    this.#options = options;
  }

  /** Reserves a slot until `claim`, for 10 s at most. Returns false if no slot is free. */
  async prepare(spec: CallSpec): Promise<boolean> {
    const { callLogs, slots, clock } = this.#options;
    const { callId } = spec;
    if (this.#calls.has(callId)) return true;
    const prepared = await this.#reserve(callId);
    if (!prepared) return false;
    try {
      const known = prepared.known.length > 0 ? prepared.known : await callLogs.read(callId);
      const entries = known.map(({ event }) => event);
      if (entries.some(({ body }) => body.type === 'joined'))
        await rebuildCall(spec, entries, prepared.stages, AbortSignal.timeout(STAGE_LIMIT_MS));
      const timer = clock.setTimer(PREPARED_LIMIT_MS, () => {
        this.#calls.delete(callId);
        slots.release();
      });
      this.#calls.set(callId, { known, stages: prepared.stages, timer });
      return true;
    } catch (thrown) {
      slots.release();
      throw thrown;
    }
  }

  /** Passes the slot of a prepared call to the caller; for other calls reserves one. Null if there is none. */
  async claim(callId: string): Promise<PreparedCall | null> {
    const prepared = this.#calls.get(callId);
    if (!prepared) return this.#reserve(callId);
    this.#calls.delete(callId);
    prepared.timer.cancel();
    return prepared;
  }

  /** Joined calls may exceed the capacity. */
  async #reserve(callId: string): Promise<PreparedCall | null> {
    const { callLogs, slots } = this.#options;
    const stages = remembered(this.#options.stages);
    if (slots.tryReserve('priority')) return { known: [], stages };
    const known = await callLogs.read(callId);
    const isJoined = known.some(({ event }) => event.body.type === 'joined');
    return isJoined && slots.tryReserveJoined() ? { known, stages } : null;
  }
}

function remembered(stages: StageResolver): StageResolver {
  let last: { id: string; stage: ReturnType<StageResolver['resolve']> } | null = null;
  return {
    async resolve(request, signal) {
      if (last?.id === request.stageId) return last.stage;
      const stage = await stages.resolve(request, signal);
      last = { id: request.stageId, stage: Promise.resolve(stage) };
      return stage;
    },
  };
}
