import type { CallLogEntryBody } from '@calls/api-contract/bus/call-log-entry';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { EndReason } from '@calls/api-contract/rest/enums';
import type { Logger } from '@calls/foundation/logger';
import type { MediaTransport } from '../ports/media-transport.ts';
import type { DataConnection } from '../ports/data-connection.ts';
import type { SupervisedCall, Supervisor, SupervisorRejection } from '../ports/supervisor.ts';
import { TurnTrace } from '../replay/turn-trace.ts';
import { transcriptReplay } from '../transcript/recent-transcript.ts';
import type { CallEnd, TurnEvent } from '../turn/turn-types.ts';
import { AnswerDetection } from './answer-detection.ts';
import { applyEffect } from './apply-effect.ts';
import { AgentSide } from './agent-side.ts';
import type { CallContext } from './call-context.ts';
import { CallEvents } from './call-events.ts';
import { CallTime } from './call-time.ts';
import { HumanAgents } from './human-agents.ts';
import type { CallOutcome, SuspendedCall } from './call-outcome.ts';
import { snapshotAtJoin, type CallSnapshot } from './call-snapshot.ts';
import { CallAudioTap } from './call-audio-tap.ts';
import { IncomingMessages } from './incoming-messages.ts';
import { FinalTranscript, SUSPENSION_LIMIT_MS } from './final-transcript.ts';
import { MenuNavigation } from './menu-navigation.ts';
import { openDataConnection } from './open-data-connection.ts';
import { openingOf } from './opening.ts';
import { SessionOutputs } from './session-outputs.ts';
import type { ConversationServices } from './services.ts';
import { TimeLimit } from './time-limit.ts';
import { release, type CallResources } from './release.ts';
import { Transfers } from './transfer.ts';
import { TransportReader } from './transport-reader.ts';
import { TurnLoop, type ExternalEffect } from './turn-loop.ts';
import { TurnReporter } from './turn-reporter.ts';
import { UserSide } from './user-side.ts';

export interface CallSessionOptions {
  spec: CallSpec;
  transport: MediaTransport;
  services: ConversationServices;
  log: Logger;
  /** Publishes call log entries; never throws. */
  emit: (body: CallLogEntryBody) => void;
  /** An earlier session of the call; null if the client has just joined. */
  resume: SuspendedCall | null;
}

/** What a reconnect would interrupt: `conversation`: speech, or the wait for it; `tool`: its result would be lost. */
export type CallActivity = 'none' | 'conversation' | 'tool';

/** One connection of a joined call, from its first frame to its last: the user's side, the turn loop, the agent's side. */
export class CallSession {
  readonly #options: CallSessionOptions;
  readonly #time: CallTime;
  readonly #trace: TurnTrace | null;
  readonly #loop: TurnLoop;
  readonly #answer: AnswerDetection | null;
  readonly #user: UserSide;
  readonly #finalTranscript: FinalTranscript;
  readonly #agent: AgentSide;
  readonly #messages: IncomingMessages;
  readonly #context: CallContext;
  readonly #callEvents: CallEvents;
  readonly #transfers: Transfers;
  readonly #turnReporter: TurnReporter;
  readonly #dataConnection: DataConnection | null;
  readonly #sound: CallAudioTap;
  readonly #timeLimit: TimeLimit;
  readonly #humanAgents: HumanAgents;
  readonly #outputs: SessionOutputs;
  readonly #outcome = Promise.withResolvers<CallOutcome | SuspendedCall>();
  #stopped = false;

  /** If this throws, only the transport is left open. */
  constructor(options: CallSessionOptions) {
    this.#options = options;
    const { spec, transport, services, resume } = options;
    const { clock, metrics } = services;
    const start = resume?.snapshot ?? snapshotAtJoin(spec, clock.wallMs());
    const time = new CallTime(clock, start.joinedAtMs);
    const { startsAtMs } = time;
    this.#time = time;
    const callTimeMs = (): number => time.nowMs;
    this.#outputs = new SessionOutputs(options.emit);
    this.#outputs.addListener((message) => transport.send(message));
    const { emit, send } = this.#outputs;
    const outputs = { callTimeMs, emit, send };
    const stageId = (): string => this.#agent.stage.stageId;
    this.#callEvents = new CallEvents({ stageId, clock, ...outputs, metrics, log: options.log });
    this.#transfers = new Transfers({ transport, clock, callEvents: this.#callEvents });
    const dispatch = (event: TurnEvent): void => this.#loop.dispatch(event);
    const navigation = new MenuNavigation({
      ...{ spec, clock, callEvents: this.#callEvents, dispatch },
      inMenu: start.inMenu,
      lastSpeechMs: () => this.#user.lastSpeechMs,
      instruct: (text) => this.#agent.conversation.addInstruction(text),
    });
    this.#context = {
      spec,
      services,
      navigation,
      answer: () => this.#answer?.answer ?? null,
      callEvents: this.#callEvents,
      ...outputs,
      dispatch,
      transfer: this.#transfers.transfer,
      warmTransfer: (parameters) => this.#humanAgents.transfer(parameters),
      sendDigits: transport.sendDigits ? (digits) => transport.sendDigits?.(digits) === true : null,
      reportError: (component, error) => this.#reportError(component, error),
      fail: (error) => this.fail(error),
    };
    this.#turnReporter = new TurnReporter({
      ...{ clock, metrics, callEvents: this.#callEvents, callTimeMs },
      onTurn: (turn) => this.#sound.auditTurn(turn),
    });
    const opened: (() => unknown)[] = [];
    try {
      const dataConnection = openDataConnection(
        this.#context,
        (message) => this.#messages.receive(message, 'dataConnection'),
        () => this.#stopped,
      );
      this.#dataConnection = dataConnection;
      opened.push(() => dataConnection?.close('call_ended'));
      if (dataConnection) this.#outputs.addListener((message) => dataConnection.send(message));
      const sound = new CallAudioTap({
        spec,
        transport,
        services,
        dataConnection,
        resumedAtMs: resume && startsAtMs,
        onError: (error) => this.#callEvents.addError('recording', error),
      });
      this.#sound = sound;
      opened.push(() => sound.leave(false));
      const earlier = resume && { answer: resume.snapshot.answer, atMs: startsAtMs };
      this.#answer = AnswerDetection.open(this.#context, earlier);
      const user = new UserSide({
        ...{ context: this.#context, stage: start.stage, startsAtMs, transport, answer: this.#answer },
        reporter: this.#turnReporter,
        onAudio: sound.writeUserAudio,
      });
      this.#user = user;
      opened.push(() => user.close());
      const initial = user.turnStateAt(start.stage);
      const traced = { call: spec, initial, resumed: resume !== null, callTimeMs };
      const trace = TurnTrace.open(services.traces, traced);
      this.#trace = trace;
      opened.push(() => trace?.leave());
      this.#loop = new TurnLoop(
        initial,
        clock,
        (effect) => this.#apply(effect),
        (error) => this.fail(error),
        trace,
      );
      this.#finalTranscript = new FinalTranscript(this.#loop, user);
      this.#agent = this.#createAgent(start);
      this.#humanAgents = new HumanAgents({
        context: this.#context,
        agent: this.#agent,
        sound,
        userRateHz: transport.inputFormat.sampleRateHz,
        turn: () => this.#loop.state,
        onAudio: (samples, startMs) => user.addAgentAudio(samples, this.#time.at(startMs)),
        onTakeover: () => this.#answer?.close('taken_over'),
      });
      this.#outputs.addListener((message) => this.#humanAgents.send(message));
      this.#messages = new IncomingMessages({
        context: this.#context,
        agent: this.#agent,
        reply: (source, message) => (source === 'dataConnection' ? dataConnection : transport)?.send(message),
      });
      this.#timeLimit = new TimeLimit({
        leftMs: Math.max(0, spec.maxDurationMs - startsAtMs),
        message: () => this.#agent.stage.timeExceededMessage ?? '',
        clock,
        end: (message) => this.#loop.dispatch({ type: 'ending', words: message, reason: 'timeout' }),
      });
    } catch (thrown) {
      for (const close of opened) void close();
      throw thrown;
    }
  }

  /** Runs until the call ends or the client disconnects. Never rejects. Call it once. */
  run(): Promise<CallOutcome | SuspendedCall> {
    const { spec, transport, services, resume } = this.#options;
    const { send } = this.#outputs;
    send({ type: 'call_started', callId: spec.callId, reconnectGraceMs: services.reconnectGraceMs });
    for (const message of resume ? transcriptReplay(resume.snapshot) : []) transport.send(message);
    if (resume) this.#agent.recordReconnect();
    else send({ type: 'state', state: 'idle' });
    this.#context.navigation.open();
    this.#loop.dispatch({ type: 'opened', opening: openingOf(spec, resume, services.clock.wallMs()) });
    void new TransportReader({
      isOver: () => this.#stopped,
      context: this.#context,
      transport,
      user: this.#user,
      onAudio: (samples) => this.#humanAgents.pushUserAudio(samples),
      messages: this.#messages,
      onClosed: (reason) => (reason === 'lost' ? this.suspend() : this.#finish({ reason })),
    }).run();
    return this.#outcome.promise;
  }

  /** Ends the call for a reason outside the conversation. False if the session has stopped. */
  end(reason: EndReason): boolean {
    if (this.#stopped) return false;
    this.#loop.dispatch({ type: 'ending', words: '', reason });
    return true;
  }

  /** Leaves the call to another session, unless the response ends it. `leavesOpen`: the transport stays open. */
  suspend({ leavesOpen = false } = {}): void {
    const response = this.#loop.speaking;
    if (response?.thenEnd) return this.#finish(response.thenEnd);
    if (!this.#stop({ type: 'suspended' })) return;
    this.#agent.leaveUnfinished(response);
    this.#leave(false, leavesOpen ? null : 'service_restart');
  }

  /** Another worker owns the call: stops without sending or publishing. `run` resolves as for `suspend`. */
  abandon(): void {
    this.#outputs.close();
    if (this.#stop({ type: 'closed' })) this.#leave(true, 'service_restart');
  }

  get activity(): CallActivity {
    if (this.#agent.tools.areRunning) return 'tool';
    return this.#loop.state.kind === 'listening' ? 'none' : 'conversation';
  }

  supervise(supervisor: Supervisor): SupervisedCall | SupervisorRejection {
    return this.#humanAgents.supervise(supervisor);
  }

  /** Handles a message from the API. A hang-up counts as the agent's. False if the session has stopped. */
  receive(message: ClientMessage): boolean {
    return this.#messages.receive(message, 'api');
  }

  #apply(effect: ExternalEffect): void {
    this.#turnReporter.observe(effect, this.#loop.state.kind === 'closed');
    this.#humanAgents.onTurn(this.#loop.state);
    applyEffect(effect, {
      context: this.#context,
      user: this.#user,
      agent: this.#agent,
      finish: (end) => this.#finish(end),
    });
    this.#finalTranscript.progress();
  }

  #createAgent(start: CallSnapshot): AgentSide {
    const send = (message: ServerMessage): void => {
      this.#user.addPlayedTranscript(message);
      this.#outputs.send(message);
    };
    return new AgentSide({
      context: { ...this.#context, send },
      start,
      resumed: this.#options.resume !== null,
      output: this.#options.transport,
      hangUp: (end) => this.#loop.endAfterResponse(end),
      onResponseStarted: (response) => this.#turnReporter.responseStarted(response),
      onAudio: (samples, startMs) => {
        this.#user.addAgentAudio(samples, this.#time.at(startMs));
        this.#turnReporter.audioPlayed(startMs);
        this.#sound.writeAgentAudio(samples, startMs);
        this.#humanAgents.pushAgentAudio(samples);
      },
      onStage: (stage) => this.#user.beginStage(stage),
    });
  }

  /** Ends this call because of an unhandled internal error. Other calls are not affected. */
  fail(err: Error): void {
    this.#options.log.error({ err }, 'call failed');
    if (this.#stopped) return;
    this.#callEvents.add('error', 'internal_error', 'The call ended because of a server error.', null);
    this.#finish({ reason: 'system_error' });
  }

  #reportError(component: string, error: Error): void {
    if (!this.#stopped) this.#callEvents.addError(component, error);
  }

  #finish({ reason, transferTo: target }: CallEnd): void {
    if (!this.#stop({ type: 'closed' })) return;
    const { clock, limits } = this.#options.services;
    const endedAtMs = this.#time.wallMs;
    const lastWords = this.#finalTranscript.settled(clock, limits.transcriptionMs);
    const finalTranscript = Promise.all([lastWords, this.#humanAgents.finish()]);
    const remains = { finalTranscript, sound: this.#sound.close(), endTrace: () => this.#trace?.close() };
    const released = release(this.#held, reason, remains, 'call_ended');
    void Promise.all([released, target ?? this.#transfers.target()]).then(([recording, transferTo]) => {
      this.#turnReporter.close();
      const end = { ...this.#agent.responder.usage, reason, transferTo, endedAtMs };
      this.#outcome.resolve({ kind: 'ended', ...end, recording });
    });
  }

  #leave(hasMoved: boolean, reason: 'service_restart' | null): void {
    const { clock } = this.#options.services;
    const lostAtMs = this.#time.wallMs;
    const finalTranscript = this.#finalTranscript.settled(clock, hasMoved ? 0 : SUSPENSION_LIMIT_MS);
    const remains = {
      finalTranscript,
      sound: this.#sound.leave(hasMoved),
      endTrace: () => this.#trace?.leave(),
    };
    void release(this.#held, reason, remains, 'interrupted').then(() => {
      this.#turnReporter.close();
      const { snapshot } = this.#agent;
      this.#outcome.resolve({ kind: 'suspended', snapshot, lostAtMs, isHandedOver: reason === null });
    });
  }

  get #held(): CallResources {
    return { ...this.#options, dataConnection: this.#dataConnection, callEvents: this.#callEvents };
  }

  /** Stops all activity. False if it was stopped before. */
  #stop(how: TurnEvent & { type: 'closed' | 'suspended' }): boolean {
    if (this.#stopped) return false;
    this.#stopped = true;
    if (how.type === 'closed') this.#answer?.close('call_ended');
    if (how.type === 'suspended' || this.#outputs.isClosed) this.#humanAgents.interrupt();
    this.#messages.close();
    this.#loop.dispatch(how);
    this.#loop.stop();
    this.#timeLimit.cancel();
    this.#agent.close();
    return true;
  }
}
