import type { CallEventBody } from '@calls/api-contract/bus/call-events';
import type { CallSpec, StageSpec } from '@calls/api-contract/call-spec';
import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { EndReason } from '@calls/api-contract/rest/enums';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { MediaTransport } from '../ports/media-transport.ts';
import type { DataConnection } from '../ports/data-connection.ts';
import { TurnTrace } from '../replay/turn-trace.ts';
import { transcriptReplay } from '../transcript/recent-transcript.ts';
import type { AgentTurn, CallEnd, TurnEvent } from '../turn/turn-types.ts';
import { applyEffect } from './apply-effect.ts';
import { AgentSide } from './agent-side.ts';
import { CallEvents } from './call-events.ts';
import type { CallOutcome, SuspendedCall } from './call-outcome.ts';
import { snapshotAtJoin, type CallSnapshot } from './call-snapshot.ts';
import { CallAudioTap } from './call-audio-tap.ts';
import { IncomingMessages } from './incoming-messages.ts';
import { FinalTranscript, SUSPENSION_LIMIT_MS } from './final-transcript.ts';
import { openingOf } from './opening.ts';
import type { ConversationServices } from './services.ts';
import { TimeLimit } from './time-limit.ts';
import { release, type CallResources } from './release.ts';
import { transferTo } from './transfer.ts';
import { TransportReader } from './transport-reader.ts';
import { TurnLoop, type OutwardEffect } from './turn-loop.ts';
import { TurnReporter } from './turn-reporter.ts';
import { UserSide } from './user-side.ts';

export interface CallSessionOptions {
  spec: CallSpec;
  transport: MediaTransport;
  services: ConversationServices;
  log: Logger;
  /** What happened, for the rows; never throws. */
  emit: (body: CallEventBody) => void;
  /** Where an earlier session of the call left it; null: the client has just joined. */
  resume: CallSnapshot | null;
}

/** A joined call from the first frame of a connection to its last: wires the user's side, the turn loop and the agent's side. */
export class CallSession {
  readonly #options: CallSessionOptions;
  /** When the client joined first, on the clock. */
  readonly #joinedMs: number;
  readonly #trace: TurnTrace | null;
  readonly #loop: TurnLoop;
  readonly #user: UserSide;
  readonly #lastWords: FinalTranscript;
  readonly #agent: AgentSide;
  readonly #messages: IncomingMessages;
  readonly #notes: CallEvents;
  readonly #turnNotes: TurnReporter;
  readonly #dataConnection: DataConnection | null;
  readonly #sound: CallAudioTap;
  readonly #timeLimit: TimeLimit;
  readonly #outcome = Promise.withResolvers<CallOutcome | SuspendedCall>();
  #stopped = false;
  #abandoned = false;

  /** Where it throws, only the transport is left open. */
  constructor(options: CallSessionOptions) {
    this.#options = options;
    const { spec, transport, services, resume } = options;
    const { clock } = services;
    const start = resume ?? snapshotAtJoin(spec, clock.wallMs());
    const startsAtMs = Math.max(0, clock.wallMs() - start.joinedAtMs);
    this.#joinedMs = clock.nowMs() - startsAtMs;
    this.#notes = new CallEvents({
      stageId: () => this.#agent.stage.stageId,
      clock,
      callTimeMs: () => this.#callTimeMs(),
      emit: (body) => this.#emit(body),
      send: (message) => this.#send(message),
      metrics: services.metrics,
      log: options.log,
    });
    this.#turnNotes = new TurnReporter({
      clock,
      metrics: services.metrics,
      notes: this.#notes,
      callTimeMs: () => this.#callTimeMs(),
    });
    const opened: (() => unknown)[] = [];
    try {
      const dataConnection = this.#openDataConnection();
      this.#dataConnection = dataConnection;
      opened.push(() => dataConnection?.close());
      const sound = new CallAudioTap({
        spec,
        transport,
        services,
        dataConnection,
        resumedAtMs: resume && startsAtMs,
        onFault: (fault) => this.#notes.addError('recording', fault),
      });
      this.#sound = sound;
      opened.push(() => sound.leave(false));
      const user = this.#createUser(start.stage, startsAtMs);
      this.#user = user;
      opened.push(() => user.close());
      const initial = user.turnStateAt(start.stage);
      const callTimeMs = (): number => this.#callTimeMs();
      const kept = { call: spec, initial, resumed: resume !== null, callTimeMs };
      const trace = TurnTrace.open(services.traces, kept);
      this.#trace = trace;
      opened.push(() => trace?.leave());
      this.#loop = new TurnLoop(
        initial,
        clock,
        (effect) => this.#apply(effect),
        (fault) => this.fail(fault),
        trace,
      );
      this.#lastWords = new FinalTranscript(this.#loop, user);
      this.#agent = this.#createAgent(start);
      this.#messages = new IncomingMessages({
        spec,
        agent: this.#agent,
        notes: this.#notes,
        send: (message) => this.#send(message),
        reply: (source, message) => (source === 'dataConnection' ? dataConnection : transport)?.send(message),
        dispatch: (event) => this.#loop.dispatch(event),
        clock,
      });
      this.#timeLimit = new TimeLimit({
        leftMs: Math.max(0, spec.maxDurationMs - startsAtMs),
        message: () => this.#agent.stage.timeExceededMessage ?? '',
        clock,
        end: (words, reason) => this.#loop.dispatch({ type: 'ending', words, reason }),
      });
    } catch (thrown) {
      for (const close of opened) void close();
      throw thrown;
    }
  }

  /** Runs the call until it is over or its client is gone. Never rejects. Once only. */
  run(): Promise<CallOutcome | SuspendedCall> {
    const { spec, transport, resume } = this.#options;
    this.#send({ type: 'call_started', callId: spec.callId });
    for (const message of resume ? transcriptReplay(resume) : []) transport.send(message);
    if (resume) this.#notes.add('info', 'connection_restored', 'The client came back.', null);
    else this.#send({ type: 'state', state: 'idle' });
    this.#loop.dispatch({ type: 'opened', opening: openingOf(spec, resume) });
    void new TransportReader({
      transport,
      user: this.#user,
      messages: this.#messages,
      notes: this.#notes,
      send: (message) => this.#send(message),
      onClosed: (reason) => (reason === 'lost' ? this.suspend() : this.#finish({ reason })),
      onBroken: (fault) => this.fail(fault),
    }).run();
    return this.#outcome.promise;
  }

  /** Ends the call from outside. */
  end(reason: EndReason): void {
    this.#loop.dispatch({ type: 'ending', words: '', reason });
  }

  /** Stops, for another session to go on with the call; the client is told to come back. What ends with its last words ends. */
  suspend(): void {
    const last = this.#speaking()?.thenEnd;
    if (last) return this.#finish(last);
    if (this.#stop({ type: 'suspended' })) this.#leave(false);
  }

  /** Another worker has the call: stops, and tells nobody anything from now on. `run` resolves as for `suspend`. */
  abandon(): void {
    this.#abandoned = true;
    if (this.#stop({ type: 'closed' })) this.#leave(true);
  }

  /** Takes what the API sends into the call: like a client's message, but it is the agent's side that hangs up. */
  receive(message: ClientMessage): void {
    this.#messages.receive(message, 'api');
  }

  #apply(effect: OutwardEffect): void {
    this.#turnNotes.observe(effect, this.#loop.state.kind === 'closed');
    applyEffect(effect, {
      user: this.#user,
      agent: this.#agent,
      notes: this.#notes,
      callTimeMs: () => this.#callTimeMs(),
      send: (message) => this.#send(message),
      finish: (end) => this.#finish(end),
    });
    this.#lastWords.progress();
  }

  /** Plays no part in the call but to listen, and to run tools. */
  #openDataConnection(): DataConnection | null {
    const { spec, services } = this.#options;
    const { callId, sharedSecrets, dataConnection: config } = spec;
    if (!config) return null;
    const call = { callId, sharedSecrets, config };
    return services.dataConnections.open(call, {
      onMessage: (message) => this.#guarded(() => this.#messages.receive(message, 'dataConnection')),
      onNote: (...note) => (this.#stopped ? undefined : this.#notes.add(...note)),
    });
  }

  #createUser(stage: StageSpec, startsAtMs: number): UserSide {
    const { services, transport } = this.#options;
    return new UserSide({
      stage,
      startsAtMs,
      transport,
      services,
      notes: this.#turnNotes,
      callTimeMs: () => this.#callTimeMs(),
      send: (message) => this.#send(message),
      dispatch: (event) => this.#loop.dispatch(event),
      onFault: (part, fault) => this.#onFault(part, fault),
      onAudio: this.#sound.userAudio,
    });
  }

  #createAgent(start: CallSnapshot): AgentSide {
    const { spec, services, transport, resume } = this.#options;
    return new AgentSide({
      spec,
      start,
      resumed: resume !== null,
      output: transport,
      services,
      notes: this.#notes,
      callTimeMs: () => this.#callTimeMs(),
      send: (message) => {
        this.#user.addPlayedTranscript(message);
        this.#send(message);
      },
      emit: (body) => this.#emit(body),
      dispatch: (event) => this.#loop.dispatch(event),
      hangUp: (end) => this.#hangUpWhenHeard(end),
      onAudioStarted: (generation, times) => {
        this.#turnNotes.audioStarted(times);
        this.#loop.dispatch({ type: 'audio_started', generation });
      },
      onAudio: (samples, startMs) => {
        this.#user.addAgentAudio(samples, startMs - this.#joinedMs);
        this.#sound.agentAudio?.(samples, startMs);
      },
      onFault: (part, fault) => this.#onFault(part, fault),
      onBroken: (fault) => this.fail(fault),
      onStage: (stage) => this.#user.beginStage(stage),
    });
  }

  /** Last words are left alone: after them the call ends by itself. */
  #hangUpWhenHeard(end: CallEnd): void {
    const agent = this.#speaking();
    if (!agent) this.#loop.dispatch({ type: 'ending', words: '', ...end });
    else if (agent.thenEnd === null)
      this.#loop.dispatch({ type: 'answer_is_last', generation: agent.generation, ...end });
  }

  #speaking(): AgentTurn | null {
    const { state } = this.#loop;
    return state.kind === 'responding' || state.kind === 'interrupted' ? state.agent : null;
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.fail(toError(thrown));
    }
  }

  /** Ends this call, and no other, because of an error that no part of it handled. */
  fail(err: Error): void {
    this.#options.log.error({ err }, 'call broke');
    if (this.#stopped) return;
    this.#notes.add('error', 'internal_error', 'The call ended because of a fault in the server.', null);
    this.#finish({ reason: 'system_error' });
  }

  #onFault(part: string, fault: Error): void {
    if (!this.#stopped) this.#notes.addError(part, fault);
  }

  #emit(body: CallEventBody): void {
    if (!this.#abandoned) this.#options.emit(body);
  }

  #send(message: ServerMessage): void {
    if (this.#abandoned) return;
    this.#options.transport.send(message);
    this.#dataConnection?.send(message);
  }

  #callTimeMs(): number {
    return Math.max(0, Math.round(this.#options.services.clock.nowMs() - this.#joinedMs));
  }

  #finish({ reason, transferTo: target }: CallEnd): void {
    if (!this.#stop({ type: 'closed' })) return;
    const { clock, limits } = this.#options.services;
    const endedAtMs = clock.wallMs();
    const words = this.#lastWords.settled(clock, limits.transcriptionMs);
    const transferred = target ? transferTo(target, { ...this.#options, notes: this.#notes }) : null;
    const remains = { words, sound: this.#sound.close(), endTrace: () => this.#trace?.close() };
    const released = release(this.#held, reason, remains, transferred);
    void Promise.all([released, transferred]).then(([recording, withWhom]) => {
      this.#turnNotes.close();
      const end = { ...this.#agent.responder.usage, reason, transferTo: withWhom, endedAtMs };
      this.#outcome.resolve({ kind: 'ended', ...end, recording });
    });
  }

  #leave(hasIt: boolean): void {
    const { clock } = this.#options.services;
    const lostAtMs = clock.wallMs();
    const words = this.#lastWords.settled(clock, hasIt ? 0 : SUSPENSION_LIMIT_MS);
    const remains = { words, sound: this.#sound.leave(hasIt), endTrace: () => this.#trace?.leave() };
    void release(this.#held, 'service_restart', remains).then(() => {
      const { snapshot } = this.#agent;
      this.#turnNotes.close();
      this.#outcome.resolve({ kind: 'suspended', snapshot, lostAtMs });
    });
  }

  get #held(): CallResources {
    return { ...this.#options, dataConnection: this.#dataConnection };
  }

  /** Nothing happens in the call any more. False where that was so before. */
  #stop(how: TurnEvent & { type: 'closed' | 'suspended' }): boolean {
    if (this.#stopped) return false;
    this.#stopped = true;
    this.#messages.close();
    this.#loop.dispatch(how);
    this.#loop.stop();
    this.#timeLimit.cancel();
    this.#agent.close();
    return true;
  }
}
