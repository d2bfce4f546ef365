import type { CallCommand, CallCommandReply, CallEventBody, CallSpec, EndReason } from '@calls/api-contract';
import type { Lease } from '@calls/bus';
import {
  CallSession,
  type CallOutcome,
  type ConversationServices,
  type MediaTransport,
} from '@calls/conversation';
import { toError, type Logger, type Timer } from '@calls/foundation';
import type { CallEventWriter } from '../events/call-event-writer.ts';

export interface HeldCallOptions {
  spec: CallSpec;
  lease: Lease;
  services: ConversationServices;
  events: CallEventWriter;
  log: Logger;
}

type Phase =
  /** Waits for its client until the join timer fires. */
  | { kind: 'held'; joinTimer: Timer }
  | { kind: 'joined'; session: CallSession; joinedAtMs: number }
  | { kind: 'ended' };

/** One call on this worker: held for its client, joined, ended; forward only, and ended exactly once. */
export class HeldCall {
  readonly callId: string;
  readonly lease: Lease;
  readonly #options: HeldCallOptions;
  readonly #ended = Promise.withResolvers<EndReason>();
  #phase: Phase;

  constructor(options: HeldCallOptions) {
    this.#options = options;
    const { spec, services } = options;
    this.callId = spec.callId;
    this.lease = options.lease;
    const leftMs = spec.createdAtMs + spec.joinTimeoutMs - services.clock.wallMs();
    const joinTimer = services.clock.setTimer(leftMs, () => this.#end(UNJOINED, null));
    this.#phase = { kind: 'held', joinTimer };
  }

  /** Resolves with the reason when the call has ended and its last event is written. */
  get ended(): Promise<EndReason> {
    return this.#ended.promise;
  }

  get spec(): CallSpec {
    return this.#options.spec;
  }

  get isJoined(): boolean {
    return this.#phase.kind === 'joined';
  }

  /** The client is there. False where it came too late or another one came before. */
  join(transport: MediaTransport, clientVersion: string | null): boolean {
    if (this.#phase.kind !== 'held') return false;
    this.#phase.joinTimer.cancel();
    const { spec, services, events, log } = this.#options;
    const emit = (body: CallEventBody): void => events.write(body);
    emit({ type: 'joined', clientVersion, workerId: this.lease.workerId });
    const joinedAtMs = services.clock.wallMs();
    try {
      const session = new CallSession({ spec, transport, services, log, emit });
      this.#phase = { kind: 'joined', session, joinedAtMs };
      void session.run().then((outcome) => this.#end(outcome, joinedAtMs));
    } catch (thrown) {
      log.error({ err: toError(thrown) }, 'a call could not begin');
      void transport.close('system_error');
      this.#end({ ...UNJOINED, reason: 'system_error' }, joinedAtMs);
    }
    return true;
  }

  /** Ends the call from outside; one that nobody joined ends `unjoined`. */
  end(reason: EndReason): void {
    if (this.#phase.kind === 'joined') this.#phase.session.end(reason);
    else this.#end(UNJOINED, null);
  }

  /** What the API asks of the call. */
  command(command: CallCommand): CallCommandReply {
    if (command.kind === 'end') {
      this.end('agent_hangup');
      return { outcome: 'accepted' };
    }
    if (command.kind === 'status') return { outcome: 'accepted' };
    if (this.#phase.kind !== 'joined') return { outcome: 'not_joined' };
    this.#phase.session.receive(command.message);
    return { outcome: 'accepted' };
  }

  #end(outcome: Omit<CallOutcome, 'endedAtMs'> & { endedAtMs?: number }, joinedAtMs: number | null): void {
    if (this.#phase.kind === 'ended') return;
    if (this.#phase.kind === 'held') this.#phase.joinTimer.cancel();
    this.#phase = { kind: 'ended' };
    const { reason: endReason, endedAtMs, inputTokens, outputTokens, recording } = outcome;
    const body = { type: 'ended', endReason, joinedAtMs, inputTokens, outputTokens, recording } as const;
    this.#options.events.write(body, endedAtMs);
    this.#ended.resolve(endReason);
  }
}

const UNJOINED = { reason: 'unjoined', inputTokens: 0, outputTokens: 0, recording: null } as const;
