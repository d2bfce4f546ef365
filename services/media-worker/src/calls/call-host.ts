import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { MediumSpec } from '@calls/api-contract/call-spec';
import type { Bus } from '@calls/bus/bus';
import type { CallSeal, EventOfCall, Seal } from '@calls/bus/call-seal';
import type { CreatedCallDelivery } from '@calls/bus/created-calls';
import type { Holder, KnownLease, Lease } from '@calls/bus/leases';
import type { ConversationServices } from '@calls/conversation/session/services';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { ofCall, withoutContent, type Logger } from '@calls/foundation/logger';
import { runInTrace, type TraceContext } from '@calls/foundation/trace-context';
import { catchUnhandledRejections } from '@calls/foundation/unhandled-rejections';
import type { Tracing } from '@calls/telemetry/tracing/span';
import type { Slots } from '../admission/slots.ts';
import { CallLogWriter } from '../call-log/call-log-writer.ts';
import type { CallMetrics } from './call-metrics.ts';
import { CallTrace, originOf } from '../tracing/call-trace.ts';
import { moveCalls } from './call-moves.ts';
import type { CallRegistry } from './call-registry.ts';
import { executeCommand } from './execute-command.ts';
import { drainLeadMs } from './drain-pace.ts';
import { HostedCall } from './hosted-call.ts';
import { claimCallLog, type KnownLog, type ClaimedLog } from './claim-call-log.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import type { PreparedCalls } from './prepared-calls.ts';
import type { Successors } from './successors.ts';

export interface CallHostOptions {
  bus: Pick<Bus, 'callLogs' | 'leases' | 'commands'>;
  holder: Holder;
  callSeal: CallSeal;
  eventSeal: Seal<EventOfCall>;
  calls: CallRegistry;
  slots: Slots;
  prepared: PreparedCalls;
  successors: Successors;
  /** Whether this worker can hold calls of this medium now. */
  offers: (medium: MediumSpec) => boolean;
  /** Called for each call that waits for its client. */
  dial: Connect;
  /** Whether another worker can continue the call if its client is connected. */
  hasSuccessor: (call: HostedCall) => boolean;
  /** Called when the lease of a call that was handed over is free. `to`: the worker that has prepared to take it. */
  onHandedOver: (call: HostedCall, to?: string) => void;
  services: ConversationServices;
  tracing: Tracing;
  metrics: CallMetrics;
  clock: Clock;
  log: Logger;
}

/** Connects a call with its client, in the background. Does not throw. */
type Connect = (call: HostedCall, log: Logger) => void;

/** Restores the connection of a call that is taken over, if its client cannot reconnect. */
export interface Reconnection {
  /**
   * Called when this worker holds the lease, so that earlier owners are fenced. The conversation is rebuilt after it
   * resolves.
   */
  claimed(): Promise<void>;
  /** Called when the conversation can continue. */
  connect: Connect;
}

/** `moved`: another worker acquired the lease first. */
export type FailoverResult =
  | { kind: 'continued'; call: HostedCall }
  | { kind: 'no_capacity' }
  | { kind: 'moved' }
  | { kind: 'over' };

/** Time limit for sending events after the last call has ended. */
const FLUSH_LIMIT_MS = 3000;

/** Runs calls from the lease to the last log entry, whether they were admitted or taken over. */
export class CallHost {
  readonly #options: CallHostOptions;
  readonly #writers = new Set<CallLogWriter>();
  readonly #running = new Map<HostedCall, Promise<void>>();
  /** Serializes taking a call: it may arrive from the queue and with its client at the same time. */
  readonly #claiming = new KeyedMutex();
  #draining = false;

  constructor(options: CallHostOptions) {
    this.#options = options;
  }

  /** Accepts a call from the work queue, with its slot. */
  async admit(delivery: CreatedCallDelivery, lease: Lease): Promise<void> {
    const { bus, calls, slots } = this.#options;
    const logging = this.#loggingOf(delivery.call);
    await this.#claiming.run(lease.callId, async () => {
      // This worker already runs the call: it was taken over, or an acknowledgement was lost.
      if (calls.get(lease.callId)) {
        slots.release();
        return;
      }
      // The record was created now, so no worker had the call before.
      const isFirst = lease.epoch === 1 && lease.revision !== undefined;
      const isNew = isFirst || (await bus.callLogs.last(lease.callId)) === null;
      const claimed = isNew ? NEW_CALL : await this.#fence(delivery.call, lease, logging);
      if (typeof claimed === 'string') slots.release();
      else this.#hold(delivery.call, lease, claimed, logging);
    });
    // If this acknowledgement is lost, the call is redelivered. No other worker runs it, because this worker holds the
    // lease.
    delivery.ack();
  }

  /** Accepts a call that was created for this worker, in its reserved slot. Null if it cannot be accepted. */
  receive(created: CreatedCall): Promise<HostedCall | null> {
    const { bus, calls, holder } = this.#options;
    return this.#claiming.run(created.spec.callId, async () => {
      if (this.#draining) return null;
      const lease = await bus.leases.acquire(created, holder);
      if (typeof lease === 'string' || calls.get(lease.callId)) return null;
      return this.#hold(created, lease, NEW_CALL, this.#loggingOf(created));
    });
  }

  /**
   * Reserves a slot for a call that its worker will hand over, and prepares to continue it. Returns false if no slot is
   * free.
   */
  prepare({ callId, call }: KnownLease): Promise<boolean> {
    const { offers, prepared } = this.#options;
    return this.#claiming.run(callId, async () => {
      if (this.#draining || !call || !offers(call.spec.medium)) return false;
      return prepared.prepare(this.#opened(call, this.#loggingOf(call).log).spec);
    });
  }

  /** Takes over a call that no worker runs (failover), in a slot that is new or was prepared. */
  failOver(found: KnownLease, reconnection?: Reconnection): Promise<FailoverResult> {
    return this.#claiming.run(found.callId, () => this.#failOver(found, reconnection));
  }

  async #failOver(found: KnownLease, reconnection?: Reconnection): Promise<FailoverResult> {
    const { bus, slots, offers, holder, metrics } = this.#options;
    const { call: created } = found;
    if (!created) return { kind: 'over' };
    if (this.#draining || !offers(created.spec.medium)) return { kind: 'no_capacity' };
    const prepared = await this.#options.prepared.claim(found.callId);
    if (!prepared) return { kind: 'no_capacity' };
    let held = false;
    try {
      // `prepare` has read the log of a call that was handed over. The log of a SIP call is read once its peer is
      // connected.
      const isReadNow = !reconnection && prepared.known.length === 0;
      const reading = isReadNow ? bus.callLogs.read(found.callId).catch(() => null) : null;
      const lease = await bus.leases.takeOver(found, holder);
      if (!lease) return { kind: 'moved' };
      const logging = this.#loggingOf(created);
      const { log } = logging;
      // A holder that was only slow still sends to the peer. This request makes it check its lease and drop the call.
      const check = reconnection && found.holder ? bus.commands.isServed(found.callId) : null;
      check?.catch((err: unknown) => log.warn({ err }, 'failed to reach the earlier worker'));
      const rebuilt = async (): Promise<ClaimedLog | 'over' | 'moved'> => {
        await reconnection?.claimed();
        const read = await reading;
        const known = { known: read ?? prepared.known, isComplete: read !== null };
        return this.#fence(created, lease, logging, prepared.stages, known);
      };
      const claimed = await rebuilt().catch(async (thrown: unknown) => {
        await this.#releaseLease(bus.leases.handOver(lease), log);
        throw thrown;
      });
      if (typeof claimed === 'string') return { kind: claimed };
      const call = this.#hold(created, lease, claimed, logging, reconnection?.connect);
      held = true;
      const wasJoined = claimed.resumeFrom !== null;
      metrics.failedOver(wasJoined);
      log.info({ epoch: lease.epoch, wasJoined }, 'took over call of another worker');
      return { kind: 'continued', call };
    } finally {
      if (!held) slots.release();
    }
  }

  /** Drops calls if another worker has acquired their lease. */
  async checkLeases(): Promise<void> {
    const { bus, calls } = this.#options;
    const check = async (call: HostedCall): Promise<void> => {
      if (!(await bus.leases.holds(call.lease))) call.abandon();
    };
    await Promise.all([...calls.all()].map(check));
  }

  /**
   * Hands over calls without a client immediately. Joined calls move before `limitMs`; see `moveCalls`. Calls that are
   * left then move if another worker may continue them, or end.
   */
  async drain(limitMs: number): Promise<void> {
    const { calls, hasSuccessor, successors, clock } = this.#options;
    this.#draining = true;
    for (const call of calls.all()) if (!call.isLive && !call.mustStayHere) call.handOver();
    const moving = new AbortController();
    const leadMs = drainLeadMs(limitMs, calls.all().filter(({ isLive }) => isLive).length);
    const hasLeft = (call: HostedCall): Promise<void> | undefined => this.#running.get(call);
    const lead = clock.setTimer(limitMs - leadMs, () => {
      void moveCalls(calls.all(), leadMs, moving.signal, { successors, hasLeft, clock });
    });
    const limit = clock.setTimer(limitMs, () => {
      moving.abort();
      for (const call of calls.all())
        if (hasSuccessor(call)) call.handOver();
        else call.end('system_error');
    });
    const giveUp = clock.setTimer(limitMs + FLUSH_LIMIT_MS, () => {
      for (const writer of this.#writers) writer.abandon();
    });
    await Promise.all(this.#running.values());
    moving.abort();
    for (const timer of [lead, limit, giveUp]) timer.cancel();
  }

  async #fence(
    call: CreatedCall,
    lease: Lease,
    { log, origin }: CallLogging,
    stages = this.#options.services.tools.stages,
    known?: KnownLog,
  ): Promise<ClaimedLog | 'over' | 'moved'> {
    const { bus, clock } = this.#options;
    const { spec } = this.#opened(call, log);
    const deps = { callLogs: bus.callLogs, stages, clock, log };
    const claimed = await runInTrace(origin, () => claimCallLog(deps, spec, lease, known), lease.callId);
    if (claimed === 'over') await bus.leases.end(lease);
    return claimed;
  }

  #hold(
    created: CreatedCall,
    lease: Lease,
    { after, resumeFrom }: ClaimedLog,
    { log, origin }: CallLogging,
    reconnect?: Connect,
  ): HostedCall {
    const { bus, calls, dial, metrics, clock } = this.#options;
    const { epoch } = lease;
    const trace = new CallTrace(this.#options, { created, origin, epoch, isJoined: resumeFrom !== null });
    const { spec } = this.#opened(created, log);
    const events = new CallLogWriter({
      call: spec,
      epoch,
      after,
      callLogs: bus.callLogs,
      eventSeal: this.#options.eventSeal,
      clock,
      log,
      onFenced: () => call.abandon(),
    });
    const call = new HostedCall({
      spec,
      lease,
      services: trace.services(this.#options.services),
      events: trace.events(events),
      resumeFrom,
      log,
    });
    void call.released.then(({ kind }) => {
      trace.end(kind);
      metrics.left(kind);
    });
    this.#writers.add(events);
    calls.add(call);
    const commands = bus.commands.serve(spec.callId, async (command) => {
      if (await bus.leases.holds(lease)) return executeCommand(command, call);
      call.abandon();
      return null;
    });
    const running = this.#finishWhenLeft(call, events, log).finally(() => {
      // No other worker may continue the call before its last entry is written.
      commands[Symbol.dispose]();
      this.#running.delete(call);
    });
    this.#running.set(call, running);
    const connect = reconnect ?? (resumeFrom ? null : dial);
    if (connect) {
      const connectOwned = (): void =>
        catchUnhandledRejections(
          (err) => call.fail(err),
          () => connect(call, log),
        );
      runInTrace(origin, connectOwned, call.callId);
    }
    return call;
  }

  async #finishWhenLeft(call: HostedCall, events: CallLogWriter, log: Logger): Promise<void> {
    const { bus, calls, slots, successors, onHandedOver } = this.#options;
    const release = await call.released;
    calls.remove(call);
    slots.release();
    log.info(release, 'call ended or moved to another worker');
    await events.flushed();
    this.#writers.delete(events);
    if (release.kind === 'ended') await this.#releaseLease(bus.leases.end(call.lease), log);
    else if (release.kind === 'handed_over') {
      // The client reconnects when another worker can continue the call, not before.
      const { to } = release;
      const isMoved = to !== undefined && !call.isMovedByWorker && (await successors.take(call.callId, to));
      if (!isMoved) await this.#releaseLease(bus.leases.handOver(call.lease), log);
      await call.disconnect().catch((thrown: unknown) => {
        log.warn({ err: toError(thrown) }, 'failed to disconnect client of a call that was handed over');
      });
      onHandedOver(call, to);
    }
  }

  /** Never rejects: the lease of a stopped worker expires in any case. */
  async #releaseLease(release: Promise<void>, log: Logger): Promise<void> {
    await release.catch((thrown: unknown) => {
      log.warn({ err: toError(thrown) }, 'failed to release lease');
    });
  }

  /**
   * Returns the call with decrypted secrets. If decryption fails, they stay encrypted: the voice fails and the fallback
   * voice speaks.
   */
  #opened(call: CreatedCall, log: Logger): CreatedCall {
    try {
      return this.#options.callSeal.open(call);
    } catch (thrown) {
      log.error(
        { err: toError(thrown) },
        'failed to decrypt call secrets; check that all services share JOIN_TOKEN_SECRET',
      );
      return call;
    }
  }

  #loggingOf(created: CreatedCall): CallLogging {
    const { callId, retention } = created.spec;
    const origin = originOf(created);
    const log = ofCall(this.#options.log, { callId, traceId: origin.traceId });
    return { origin, log: retention === 'zdr' ? withoutContent(log) : log };
  }
}

/** The log and trace context of a call. */
interface CallLogging {
  origin: TraceContext;
  log: Logger;
}

const NEW_CALL: ClaimedLog = { after: null, resumeFrom: null };
