import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import { callDeadlineMs } from '@calls/api-contract/call-lifetime';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { EndReason, Severity } from '@calls/api-contract/rest/enums';
import type { Lease } from '@calls/bus/leases';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import type { SupervisedCall, Supervisor, SupervisorRejection } from '@calls/conversation/ports/supervisor';
import {
  finishSuspended,
  UNJOINED,
  type CallEnding,
  type SuspendedCall,
} from '@calls/conversation/session/call-outcome';
import { CallSession, type CallActivity } from '@calls/conversation/session/call-session';
import type { ConversationServices } from '@calls/conversation/session/services';
import { TokenBucket } from '@calls/foundation/token-bucket';
import { withSteadyWallTime } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { catchUnhandledRejections } from '@calls/foundation/unhandled-rejections';
import type { CallLogWriter } from '../call-log/call-log-writer.ts';
import {
  callTimeMs,
  type AfterSession,
  type CallRelease,
  type JoinedPhase,
  type Phase,
} from './call-phase.ts';
import { JoinDeadline } from './join-deadline.ts';
import { HANDED_OVER } from './claim-call-log.ts';

export interface HostedCallOptions {
  spec: CallSpec;
  lease: Lease;
  services: ConversationServices;
  events: Pick<CallLogWriter, 'write'>;
  /** The state of the call when its worker failed; null if no client had joined. */
  resumeFrom: SuspendedCall | null;
  log: Logger;
}

/** Join attempts per call; a disconnected client makes some 15 within 10 s. */
const TRIES = { burst: 30, perSecond: 1 };

/** Medium-specific fields of an `ended` entry. */
export type EndDetails = Pick<CallLogEntryBody & { type: 'ended' }, 'sip'>;

/** One call on this worker: waiting for its client, joined, suspended, joined again, ended. It ends exactly once. */
export class HostedCall {
  readonly callId: string;
  readonly lease: Lease;
  readonly #options: HostedCallOptions;
  readonly #released = Promise.withResolvers<CallRelease>();
  readonly #tries: TokenBucket;
  /** Connection of a call that was handed over. It stays open until the client must reconnect. */
  #leftOpen: MediaTransport | null = null;
  #details: () => EndDetails = () => ({});
  #phase: Phase;

  constructor(options: HostedCallOptions) {
    const { spec, resumeFrom } = options;
    const services = { ...options.services, clock: withSteadyWallTime(options.services.clock) };
    this.#options = { ...options, services };
    this.callId = spec.callId;
    this.lease = options.lease;
    this.#tries = new TokenBucket(TRIES, services.clock.nowMs());
    if (resumeFrom) {
      // The worker, not the client, caused the loss of the connection.
      this.#phase = this.#suspended(resumeFrom, 'system_error');
      return;
    }
    const limitMs = spec.createdAtMs + spec.joinTimeoutMs - services.clock.wallMs();
    const deadline = new JoinDeadline(services.clock, { limitMs }, () => this.#end(UNJOINED, null));
    this.#phase = { kind: 'held', deadline };
  }

  /** Resolves when the call has left this worker and its last log entry is written. */
  get released(): Promise<CallRelease> {
    return this.#released.promise;
  }

  get spec(): CallSpec {
    return this.#options.spec;
  }

  /** Latest end of the call, as epoch milliseconds. */
  get deadlineMs(): number {
    return callDeadlineMs(this.spec);
  }

  /** Whether a client is connected. */
  get isJoined(): boolean {
    return this.#phase.kind === 'joined';
  }

  /** Whether a client is or was connected. */
  get isLive(): boolean {
    return this.isJoined || this.isSuspended;
  }

  get isSuspended(): boolean {
    return this.#phase.kind === 'suspended';
  }

  get isOver(): boolean {
    return this.#phase.kind === 'over';
  }

  /** What a reconnect of the client would interrupt now. */
  get activity(): CallActivity {
    return this.#phase.kind === 'joined' ? this.#phase.session.activity : 'none';
  }

  /** Whether its phone still rings: only this worker has the dialog, so no other worker can continue the call. */
  get mustStayHere(): boolean {
    return this.isMovedByWorker && !this.isLive;
  }

  /**
   * Whether workers move the call because its phone does not reconnect: the next worker calls it back after this one
   * has left the dialog.
   */
  get isMovedByWorker(): boolean {
    return this.spec.medium.kind === 'sip';
  }

  /** `details` is called once, when the call ends. */
  endsWith(details: () => EndDetails): void {
    this.#details = details;
  }

  /** Whether another join attempt is allowed now: each costs CPU time that other calls need. */
  takeJoinAttempt(): boolean {
    return this.#tries.take(this.#options.services.clock.nowMs());
  }

  /** Waits a little longer for a client whose media is being set up. `setUp` must not reject. */
  waitWhile(setUp: Promise<unknown>): void {
    this.#waiting?.deadline.extendWhile(setUp);
  }

  /** Joins or reconnects a client. Returns false if it is too late, or another client has joined. */
  join(transport: MediaTransport, clientVersion: string | null): boolean {
    const phase = this.#waiting;
    if (!phase) return false;
    phase.deadline.cancel();
    if (phase.kind === 'suspended') {
      this.#converse(transport, phase.left, phase.left.snapshot.joinedAtMs);
    } else {
      const joinedAtMs = this.#options.services.clock.wallMs();
      this.#options.events.write(
        { type: 'joined', clientVersion, workerId: this.lease.workerId },
        joinedAtMs,
      );
      this.#converse(transport, null, joinedAtMs);
    }
    return true;
  }

  /**
   * Checks whether the connected client still responds: a client that joins again may have lost its earlier connection.
   */
  checkClient(): void {
    if (this.#phase.kind === 'joined') this.#phase.transport.probe();
  }

  /** Ends the call on request; a call without a client ends `unjoined`. */
  end(reason: EndReason): void {
    const phase = this.#phase;
    if (phase.kind === 'joined') {
      if (!phase.session.end(reason)) phase.then = { kind: 'end', reason };
    } else if (phase.kind === 'suspended') void this.#finish(phase.left, reason);
    else if (phase.kind === 'held') this.#end(UNJOINED, null);
  }

  /** Ends the call because of an error that no part of it handled. */
  fail(err: Error): void {
    const phase = this.#phase;
    if (phase.kind === 'joined') phase.session.fail(err);
    else if (phase.kind === 'suspended') void this.#finish(phase.left, 'system_error');
    else if (phase.kind === 'held') this.#end({ ...UNJOINED, reason: 'system_error' }, null);
  }

  /** Reports that the dialled party was not reached. Ends the call unless a client has joined. */
  notReached(detail: string): void {
    if (this.#phase.kind !== 'held') return;
    this.note('error', 'not_reached', detail, null);
    this.#end(UNJOINED, null);
  }

  /**
   * Reports that the medium of a client that wants to join or reconnect can never be used. Ends the call unless another
   * client is connected.
   */
  mediumUnusable(detail: string): void {
    if (!this.#waiting) return;
    this.note('error', 'stream_unusable', `The media stream cannot be used: ${detail}.`, null);
    this.end('connection_error');
  }

  /** Adds a call event that clients do not receive. Ignored once the call has ended. */
  note(severity: Severity, eventType: string, text: string, extras: Record<string, unknown> | null): void {
    if (this.#phase.kind === 'over') return;
    const { events, services, spec } = this.#options;
    const { stageId } = spec.firstStage;
    const event = {
      type: 'noted',
      stageId,
      callTimestampMs: callTimeMs(this.#phase, services.clock.wallMs()),
    } as const;
    events.write({ ...event, severity, eventType, text, extras });
  }

  /** The phase while no client is connected; null in other phases. */
  get #waiting(): (Phase & { kind: 'held' | 'suspended' }) | null {
    return this.#phase.kind === 'held' || this.#phase.kind === 'suspended' ? this.#phase : null;
  }

  /**
   * Hands the call over to another worker, or ends it if no worker can continue it. A connected client stays connected
   * until `disconnect`. `to`: the worker that has prepared to continue it.
   */
  handOver(to?: string): void {
    if (this.mustStayHere) {
      this.end('system_error');
      return;
    }
    const phase = this.#phase;
    const release = { kind: 'handed_over', ...(to !== undefined && { to }) } as const;
    if (phase.kind === 'joined') {
      this.#leftOpen = phase.transport;
      if (phase.then.kind !== 'end') phase.then = release;
      phase.session.suspend({ leavesOpen: true });
    } else if (this.#waiting) this.#leave(release);
  }

  /** Makes the client of a call that was handed over reconnect. */
  async disconnect(): Promise<void> {
    await this.#leftOpen?.close('service_restart');
  }

  /** Another worker owns the call: stops all work on it here. */
  abandon(): void {
    const phase = this.#phase;
    if (phase.kind === 'over') return;
    this.#leave({ kind: 'fenced' });
    if (phase.kind === 'joined') phase.session.abandon();
  }

  /** Lets a supervisor listen to the call; null unless a client is connected. */
  supervise(supervisor: Supervisor): SupervisedCall | SupervisorRejection | null {
    return this.#phase.kind === 'joined' ? this.#phase.session.supervise(supervisor) : null;
  }

  /** Passes a message of the API to the session. Returns false if there is no session. */
  receive(message: ClientMessage): boolean {
    return this.#phase.kind === 'joined' && this.#phase.session.receive(message);
  }

  #converse(transport: MediaTransport, resume: SuspendedCall | null, joinedAtMs: number): void {
    const { spec, services, events, log } = this.#options;
    const emit = (body: CallLogEntryBody): void => events.write(body);
    const begin = (): void => {
      const session = new CallSession({ spec, transport, services, log, emit, resume });
      const phase: JoinedPhase = { kind: 'joined', session, transport, joinedAtMs, then: { kind: 'wait' } };
      this.#phase = phase;
      void session.run().then((outcome) => {
        if (outcome.kind === 'ended') this.#end(outcome, joinedAtMs);
        else this.#onSuspended(outcome, phase.then);
      });
    };
    try {
      catchUnhandledRejections((err) => this.fail(err), begin);
    } catch (thrown) {
      log.error({ err: toError(thrown) }, 'failed to start call');
      void transport.close('system_error');
      if (resume) void this.#finish(resume, 'system_error', services.clock.wallMs());
      else this.#end({ ...UNJOINED, reason: 'system_error' }, joinedAtMs);
    }
  }

  #onSuspended(left: SuspendedCall, then: AfterSession): void {
    if (this.#phase.kind === 'over') return;
    switch (then.kind) {
      case 'wait':
        this.#phase = this.#suspended(left, 'connection_error');
        return;
      case 'end':
        void this.#leftOpen?.close(then.reason);
        void this.#finish(left, then.reason);
        return;
      case 'handed_over':
        this.note('info', HANDED_OVER, 'Another media-worker continues the call.', null);
        this.#leave(then);
    }
  }

  /** Waits for the client, no longer than the call may last. */
  #suspended(left: SuspendedCall, reason: EndReason): Phase & { kind: 'suspended' } {
    const { clock, reconnectGraceMs: limitMs } = this.#options.services;
    const maxMs = left.snapshot.joinedAtMs + this.spec.maxDurationMs - clock.wallMs();
    const ending = maxMs < limitMs ? 'timeout' : reason;
    const deadline = new JoinDeadline(clock, { limitMs, maxMs }, () => void this.#finish(left, ending));
    return { kind: 'suspended', left, deadline };
  }

  /** Ends the call with the results of earlier sessions. `endedAtMs`: by default the time of the disconnect. */
  async #finish(left: SuspendedCall, reason: EndReason, endedAtMs = left.lostAtMs): Promise<void> {
    this.#waiting?.deadline.cancel();
    this.#phase = { kind: 'finishing' };
    const { spec, services } = this.#options;
    const { snapshot } = left;
    this.#end(await finishSuspended({ spec, snapshot, services, reason, endedAtMs }), snapshot.joinedAtMs);
  }

  #end(outcome: CallEnding, joinedAtMs: number | null): void {
    if (this.#phase.kind === 'over') return;
    const { reason: endReason, transferTo, endedAtMs, inputTokens, outputTokens, recording } = outcome;
    const body = { type: 'ended', endReason, joinedAtMs, inputTokens, outputTokens, recording } as const;
    const transfer = transferTo !== null && { transferTo };
    this.#options.events.write({ ...body, ...transfer, ...this.#details() }, endedAtMs);
    this.#leave({ kind: 'ended', reason: endReason });
  }

  #leave(release: CallRelease): void {
    this.#waiting?.deadline.cancel();
    this.#phase = { kind: 'over' };
    this.#released.resolve(release);
  }
}
