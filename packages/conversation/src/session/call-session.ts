import type { CallEventBody, CallSpec, ClientMessage, EndReason, ServerMessage } from '@calls/api-contract';
import { toError, type Logger } from '@calls/foundation';
import type { MediaTransport, TransportEvent } from '../ports/media-transport.ts';
import type { DataConnection } from '../ports/data-connection.ts';
import { TurnTrace } from '../replay/turn-trace.ts';
import { initialTurnState } from '../turn/step-turn.ts';
import { AgentSide } from './agent-side.ts';
import { CallNotes } from './call-notes.ts';
import type { CallOutcome } from './call-outcome.ts';
import { CallSound } from './call-sound.ts';
import { IncomingMessages } from './incoming-messages.ts';
import { openingOf } from './opening.ts';
import type { ConversationServices } from './services.ts';
import { TimeLimit } from './time-limit.ts';
import { TurnLoop, type OutwardEffect } from './turn-loop.ts';
import { TurnNotes } from './turn-notes.ts';
import { UserSide } from './user-side.ts';

export interface CallSessionOptions {
  spec: CallSpec;
  transport: MediaTransport;
  services: ConversationServices;
  log: Logger;
  /** What happened, for the rows; never throws. */
  emit: (body: CallEventBody) => void;
}

/** A joined call from its first frame to its last: wires the user's side, the turn loop and the agent's side. */
export class CallSession {
  readonly #options: CallSessionOptions;
  readonly #joinedAtMs: number;
  readonly #trace: TurnTrace | null;
  readonly #loop: TurnLoop;
  readonly #user: UserSide;
  readonly #agent: AgentSide;
  readonly #messages: IncomingMessages;
  readonly #notes: CallNotes;
  readonly #turnNotes: TurnNotes;
  readonly #dataConnection: DataConnection | null;
  readonly #sound: CallSound;
  readonly #timeLimit: TimeLimit;
  readonly #outcome = Promise.withResolvers<CallOutcome>();
  #ended = false;

  constructor(options: CallSessionOptions) {
    this.#options = options;
    const { spec, transport, services } = options;
    const { clock } = services;
    this.#joinedAtMs = clock.nowMs();
    this.#notes = new CallNotes({
      stageId: () => this.#agent.stage.stageId,
      clock,
      callTimeMs: () => this.#callTimeMs(),
      emit: options.emit,
      send: (message) => this.#send(message),
      metrics: services.metrics,
      log: options.log,
    });
    this.#turnNotes = new TurnNotes({
      clock,
      metrics: services.metrics,
      notes: this.#notes,
      callTimeMs: () => this.#callTimeMs(),
    });
    this.#dataConnection = this.#openDataConnection();
    this.#sound = new CallSound({
      spec,
      transport,
      services,
      dataConnection: this.#dataConnection,
      startMs: this.#joinedAtMs,
      onFault: (fault) => this.#notes.fault('recording', fault),
    });
    this.#user = new UserSide({
      spec,
      transport,
      services,
      notes: this.#turnNotes,
      send: (message) => this.#send(message),
      dispatch: (event) => this.#loop.dispatch(event),
      onFault: (part, fault) => this.#onFault(part, fault),
      onAudio: this.#sound.userSpoke,
    });
    const { speculation } = services.limits;
    const settings = { ...this.#user.settingsOf(spec.firstStage), speculation };
    const initial = initialTurnState(spec.firstStage.inactivityMessages, settings);
    this.#trace = TurnTrace.open(services.traces, {
      call: spec,
      initial,
      callTimeMs: () => this.#callTimeMs(),
    });
    this.#loop = new TurnLoop(
      initial,
      clock,
      (effect) => this.#apply(effect),
      (fault) => this.#broke(fault),
      this.#trace,
    );
    this.#agent = this.#createAgent();
    this.#messages = new IncomingMessages({
      allowedMediums: spec.allowedMediums,
      agent: this.#agent,
      notes: this.#notes,
      send: (message) => this.#send(message),
      answer: (source, message) =>
        (source === 'dataConnection' ? this.#dataConnection : transport)?.send(message),
      dispatch: (event) => this.#loop.dispatch(event),
    });
    this.#timeLimit = new TimeLimit({
      maxDurationMs: spec.maxDurationMs,
      message: () => this.#agent.stage.timeExceededMessage ?? '',
      clock,
      end: (words, reason) => this.#loop.dispatch({ type: 'ending', words, reason }),
    });
  }

  /** Runs the call to its end. Never rejects. */
  async run(): Promise<CallOutcome> {
    const { spec, transport } = this.#options;
    this.#send({ type: 'call_started', callId: spec.callId });
    this.#loop.dispatch({ type: 'opened', opening: openingOf(spec) });
    void this.#followTransport(transport);
    return this.#outcome.promise;
  }

  /** Ends the call from outside (a worker that stops). */
  end(reason: EndReason): void {
    this.#loop.dispatch({ type: 'ending', words: '', reason });
  }

  /** Takes what the API sends into the call: like a client's message, but it is the agent's side that hangs up. */
  receive(message: ClientMessage): void {
    this.#messages.receive(message, 'api');
  }

  async #followTransport(transport: MediaTransport): Promise<void> {
    try {
      for await (const event of transport.events) this.#onTransport(event);
      this.#finish('connection_error');
    } catch (thrown) {
      this.#broke(toError(thrown));
    }
  }

  #onTransport(event: TransportEvent): void {
    switch (event.type) {
      case 'audio':
        if (this.#messages.mayUse('voice')) this.#user.push(event.samples);
        break;
      case 'input_dropped':
        if (this.#messages.mayUse('voice')) this.#notes.overflow(event.durationMs);
        break;
      case 'input_missing':
        if (!this.#messages.mayUse('voice')) break;
        this.#user.pushSilence(event.durationMs);
        this.#notes.underflow(event.durationMs);
        break;
      case 'data':
        this.#messages.receive(event.message, 'client');
        break;
      case 'unknown_data':
        this.#send({ type: 'debug', message: `data messages of type "${event.messageType}" are not known` });
        break;
      case 'malformed':
        this.#notes.add('warning', 'malformed_message', event.detail, null);
        break;
      case 'dtmf':
      case 'mark':
        break;
      case 'closed':
        if (event.reason === 'connection_error')
          this.#notes.add('error', 'connection_error', event.detail, null);
        this.#finish(event.reason);
        break;
    }
  }

  #apply(effect: OutwardEffect): void {
    const { responder, conversation } = this.#agent;
    if (this.#loop.state.kind !== 'closed') this.#turnNotes.observe(effect);
    switch (effect.type) {
      case 'open_utterance':
      case 'transcribe':
      case 'close_utterance':
      case 'assess_end':
        return this.#user.apply(effect);
      case 'add_user_message': {
        const startedMs = effect.medium === 'voice' ? this.#user.utteranceStartedMs : this.#callTimeMs();
        return conversation.addUserMessage(effect.text, effect.medium, startedMs);
      }
      case 'start_generation':
        return responder.start(effect.generation, effect.cue, this.#user.contentOf(effect.assuming));
      case 'commit_generation':
        return responder.commit(effect.generation);
      case 'discard_generation':
        return responder.discard(effect.generation);
      case 'pause_playout':
        return responder.pause(effect.generation);
      case 'resume_playout':
        return responder.resume(effect.generation);
      case 'interrupt_generation':
        return responder.interrupt(effect.generation);
      case 'fill_silence':
        if (!responder.fillSilence(effect.generation)) return;
        return this.#notes.add('info', 'reply_slow', 'The answer took long; a filler was said.', null);
      case 'dismiss_speech':
        return;
      case 'announce':
        return this.#send({ type: 'state', state: effect.state });
      case 'end_call':
        return this.#finish(effect.reason);
    }
  }

  /** Plays no part in the call but to listen, and to run tools. */
  #openDataConnection(): DataConnection | null {
    const { spec, services } = this.#options;
    const { callId, sharedSecrets, dataConnection: config } = spec;
    if (!config) return null;
    return services.dataConnections.open(
      { callId, sharedSecrets, config },
      {
        onMessage: (message) => this.#guarded(() => this.#messages.receive(message, 'dataConnection')),
        onNote: (severity, eventType, text, extras) => {
          if (!this.#ended) this.#notes.add(severity, eventType, text, extras);
        },
      },
    );
  }

  #createAgent(): AgentSide {
    const { spec, services, transport, emit } = this.#options;
    return new AgentSide({
      spec,
      output: transport,
      services,
      notes: this.#notes,
      callTimeMs: () => this.#callTimeMs(),
      send: (message) => {
        this.#user.hears(message);
        this.#send(message);
      },
      emit,
      dispatch: (event) => this.#loop.dispatch(event),
      hangUp: () => this.#hangUpWhenHeard(),
      onAudioStarted: (generation, times) => {
        this.#turnNotes.audioStarted(times);
        this.#loop.dispatch({ type: 'audio_started', generation });
      },
      onSound: this.#sound.agentHeard,
      onFault: (part, fault) => this.#onFault(part, fault),
      onBroken: (fault) => this.#broke(fault),
      onStage: (stage) => this.#user.beginStage(stage),
    });
  }

  /** Last words are left alone: after them the call ends by itself. */
  #hangUpWhenHeard(): void {
    const { state } = this.#loop;
    const reason = 'agent_hangup';
    const agent = state.kind === 'responding' || state.kind === 'interrupted' ? state.agent : null;
    if (!agent) this.#loop.dispatch({ type: 'ending', words: '', reason });
    else if (agent.thenEnd === null)
      this.#loop.dispatch({ type: 'answer_is_last', generation: agent.generation, reason });
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#broke(toError(thrown));
    }
  }

  /** A fault of ours: it ends this call and no other. */
  #broke(fault: Error): void {
    this.#options.log.error({ err: fault }, 'call broke');
    if (this.#ended) return;
    this.#notes.add('error', 'internal_error', 'The call ended because of a fault in the server.', null);
    this.#finish('system_error');
  }

  #onFault(part: string, fault: Error): void {
    if (!this.#ended) this.#notes.fault(part, fault);
  }

  #send(message: ServerMessage): void {
    this.#options.transport.send(message);
    this.#dataConnection?.send(message);
  }

  #callTimeMs(): number {
    return Math.max(0, Math.round(this.#options.services.clock.nowMs() - this.#joinedAtMs));
  }

  #finish(reason: EndReason): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#loop.dispatch({ type: 'closed' });
    this.#loop.stop();
    this.#timeLimit.cancel();
    this.#agent.close();
    this.#user.close();
    const { transport, services, log } = this.#options;
    const endedAtMs = services.clock.wallMs();
    const closed = transport
      .close(reason)
      .catch((thrown: unknown) => log.warn({ err: toError(thrown) }, 'transport did not close cleanly'));
    // What the data connection has not heard yet goes out before it is closed.
    const stored = this.#sound.close().then(async (recording) => {
      await Promise.all([this.#dataConnection?.close(), this.#trace?.close()]);
      return recording;
    });
    void Promise.all([stored, closed]).then(([recording]) => {
      this.#notes.close();
      this.#outcome.resolve({ reason, endedAtMs, ...this.#agent.responder.usage, recording });
    });
  }
}
