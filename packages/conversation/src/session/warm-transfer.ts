import type { WarmTransferEventType } from '@calls/api-contract/bus/call-log-entry';
import type { WarmTransferParameters } from '@calls/api-contract/rest/warm-transfer';
import { holdMusic } from '@calls/audio/hold-music';
import type { Timer } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import { toError } from '@calls/foundation/errors';
import { ClipPlayer } from '../playout/clip-player.ts';
import type { AudioTap } from '../playout/playout.ts';
import { acceptsCall, briefingText } from '../transfer/briefing.ts';
import {
  beginTransfer,
  stepTransfer,
  type TransferOutcome,
  type TransferReport,
  type WarmTransferEffect,
  type WarmTransferEvent,
  type WarmTransferSettings,
  type WarmTransferState,
  type WarmTransferStep,
} from '../transfer/warm-transfer-machine.ts';
import { isAddressed } from '../transfer/addressed.ts';
import type { TurnState } from '../turn/turn-types.ts';
import type { AgentSide } from './agent-side.ts';
import { BriefingSpeech } from './briefing-speech.ts';
import type { CallContext } from './call-context.ts';
import { codeOf } from './call-events.ts';
import { PersonLeg } from './person-leg.ts';
import { SupervisorSpeech } from './supervisor-speech.ts';
import { Takeover } from './takeover.ts';

export interface WarmTransferOptions {
  context: CallContext;
  agent: AgentSide;
  parameters: WarmTransferParameters;
  /** Rate of the user's audio. */
  userRateHz: number;
  /** Receives what the user hears. */
  onFrame: AudioTap;
}

/** Keys with which the person accepts or declines. */
const [ACCEPT_KEY, DECLINE_KEY] = ['1', '2'];

/** One warm transfer: the user waits, a person is called and briefed, and both are connected. */
export class WarmTransfer {
  /** Resolves when the person has left and what they said is in the history. Never rejects. */
  readonly ended: Promise<TransferReport>;
  readonly #options: WarmTransferOptions;
  readonly #settings: WarmTransferSettings;
  readonly #transferId = newId();
  readonly #resolve: (report: TransferReport) => void;
  readonly #over = new AbortController();
  readonly #briefing: BriefingSpeech;
  #state: WarmTransferState;
  #timer: Timer | null = null;
  #music: ClipPlayer | null = null;
  #leg: PersonLeg | null = null;
  /** Listens for the person's yes or no. */
  #replySpeech: SupervisorSpeech | null = null;
  #voice: Takeover | null = null;
  #detail: string | null = null;
  /** Whether the agent, as a third party, was asked to speak. */
  #isAgentAsked = false;

  constructor(options: WarmTransferOptions) {
    this.#options = options;
    const { parameters, agent } = options;
    this.#settings = {
      ringMs: parameters.ring_seconds * 1000,
      acceptance: parameters.acceptance,
      acceptMs: parameters.accept_seconds * 1000,
      talkMs: parameters.max_talk_seconds * 1000,
    };
    const { promise, resolve } = Promise.withResolvers<TransferReport>();
    this.ended = promise;
    this.#resolve = resolve;
    if (parameters.hold_music) this.#playMusic();
    this.#record('warm_transfer_started', 'The agent calls a person to transfer the user.', {});
    const text = briefingText(parameters.summary, parameters.acceptance, agent.stage.languageHint);
    this.#briefing = new BriefingSpeech(agent.speak(text, this.#over.signal), (thrown) => {
      if (!this.#over.signal.aborted) options.context.reportError('voice', toError(thrown));
    });
    const begun = beginTransfer(this.#settings);
    this.#state = begun.state;
    this.#follow(begun);
  }

  /** The user's audio as it arrives. Does not retain it. */
  pushUserAudio(samples: Int16Array): void {
    this.#leg?.pushUserAudio(samples);
  }

  /** The agent's audio as it is sent to the user. Does not retain it. */
  pushAgentAudio(samples: Int16Array): void {
    this.#leg?.pushAgentAudio(samples);
  }

  /** The user said something. */
  onUserWords(text: string): void {
    this.#onWords(text);
  }

  /**
   * Called with the state of the turn engine on each of its effects. The agent only listens, except as a third party that
   * was addressed. Its last words, for example at the time limit, end the transfer.
   */
  onTurn(turn: TurnState): void {
    if (turn.kind === 'muted') return;
    const agent = turn.kind === 'responding' || turn.kind === 'interrupted' ? turn.agent : null;
    if (!this.#isAgentAsked || turn.kind === 'closed' || agent?.thenEnd) void this.end();
    else if (!agent) this.#muteAgent();
  }

  /** The call ends. Resolves when what the person said is in the history. */
  async end(): Promise<void> {
    this.#step({ type: 'call_ended' });
    await this.ended;
  }

  /** The call continues in another session: later words of the person are not added to the history of this one. */
  interrupt(): void {
    this.#voice?.close();
    this.#step({ type: 'call_ended' });
  }

  #step(event: WarmTransferEvent): void {
    const { clock } = this.#options.context.services;
    this.#follow(stepTransfer(this.#state, event, this.#settings, clock.nowMs()));
  }

  #follow({ state, effects }: WarmTransferStep): void {
    this.#state = state;
    for (const effect of effects) this.#executeEffect(effect);
  }

  #executeEffect(effect: WarmTransferEffect): void {
    switch (effect.type) {
      case 'dial':
        return void this.#dial();
      case 'brief':
        return void this.#brief();
      case 'connect':
        return this.#connect();
      case 'hang_up':
        this.#over.abort(new Error('the transfer is over'));
        return void this.#leg?.close();
      case 'set_timer':
        return this.#setTimer(effect.afterMs);
      case 'finish':
        return void this.#finish(effect);
    }
  }

  async #dial(): Promise<void> {
    const { context, parameters } = this.#options;
    const { target, trunk_id: trunkId, provider = null, from } = parameters;
    const leg = await context.services.transferLegs.dial(
      {
        call: context.spec,
        legId: this.#transferId,
        target,
        trunkId: trunkId === '' ? null : trunkId,
        provider,
        from: from === '' ? null : from,
        ringLimitMs: this.#settings.ringMs,
      },
      this.#over.signal,
    );
    if (leg.kind === 'failed') {
      this.#detail = leg.detail;
      this.#step({ type: 'not_answered', failure: leg.failure });
      return;
    }
    if (this.#state.kind !== 'dialling') {
      await leg.transport.close('agent_hangup');
      return;
    }
    this.#leg = new PersonLeg({
      transport: leg.transport,
      services: context.services,
      listener: {
        onKey: (digit) => this.#onKey(digit),
        onAudio: (samples) => this.#onAudio(samples),
        onLeft: () => this.#step({ type: 'person_left' }),
      },
      onFatalError: (error) => this.#fail(error),
    });
    this.#record('warm_transfer_answered', 'The person answered.', {});
    this.#step({ type: 'answered' });
  }

  async #brief(): Promise<void> {
    const leg = this.#leg;
    if (!leg) return;
    if (this.#settings.acceptance === 'speech') this.#replySpeech = this.#listen(leg);
    const speech = await this.#briefing.at(leg.outputRateHz);
    if (this.#state.kind !== 'briefing') return;
    if (speech) await leg.play(speech);
    this.#step({ type: 'briefed', failed: speech === null });
  }

  #listen({ inputRateHz }: PersonLeg): SupervisorSpeech {
    const { context, agent } = this.#options;
    return new SupervisorSpeech({
      context,
      stage: agent.stage,
      sampleRateHz: inputRateHz,
      onWords: (text) => {
        const accepts = acceptsCall(text, agent.stage.languageHint);
        if (accepts !== null) this.#step({ type: accepts ? 'accepted' : 'declined' });
      },
      onError: (error) => this.#onSpeechError(error),
    });
  }

  #onKey(digit: string): void {
    if (digit === ACCEPT_KEY) this.#step({ type: 'accepted' });
    else if (digit === DECLINE_KEY) this.#step({ type: 'declined' });
  }

  #onAudio(samples: Int16Array): void {
    if (this.#state.kind === 'connected') this.#voice?.push(samples);
    else this.#replySpeech?.push(samples);
  }

  #connect(): void {
    const { context, agent, userRateHz, onFrame } = this.#options;
    const leg = this.#leg;
    if (!leg) return;
    this.#stopMusic();
    this.#replySpeech?.close();
    leg.connect(userRateHz, agent.output.outputFormat.sampleRateHz);
    if (this.#isThreeWay) agent.conversation.addInstruction(THREE_WAY);
    this.#voice = new Takeover({
      context,
      agent,
      sampleRateHz: leg.inputRateHz,
      onFrame,
      onSpeechError: (error) => this.#onSpeechError(error),
      onWords: (text) => this.#onWords(text),
      onInterruption: () => this.#muteAgent(),
    });
    const details = { threeWay: this.#isThreeWay };
    this.#record('warm_transfer_connected', 'The user and the person are connected.', details);
  }

  get #isThreeWay(): boolean {
    return this.#options.parameters.agent_name !== '';
  }

  /** The agent responds if it is addressed. */
  #onWords(text: string): void {
    const { context, parameters } = this.#options;
    if (this.#state.kind !== 'connected' || !isAddressed(text, parameters.agent_name)) return;
    this.#isAgentAsked = true;
    context.dispatch({ type: 'agent_unmuted', reason: 'transfer' });
  }

  #muteAgent(): void {
    if (!this.#isAgentAsked) return;
    this.#isAgentAsked = false;
    this.#leg?.clearAgentAudio();
    this.#options.context.dispatch({ type: 'agent_muted', reason: 'transfer' });
  }

  async #finish({ outcome, talkedMs }: WarmTransferEffect & { type: 'finish' }): Promise<void> {
    this.#stopMusic();
    this.#replySpeech?.close();
    const details = { outcome, talkedMs, ...(this.#detail !== null && { detail: this.#detail }) };
    this.#record('warm_transfer_ended', ENDED[outcome], details);
    this.#options.context.services.metrics.transferEnded(outcome);
    await this.#voice?.finish(outcome === 'call_ended');
    this.#resolve({ outcome, talkedMs, detail: this.#detail });
  }

  #setTimer(afterMs: number | null): void {
    this.#timer?.cancel();
    const { clock } = this.#options.context.services;
    this.#timer = afterMs === null ? null : clock.setTimer(afterMs, () => this.#step({ type: 'timed_out' }));
  }

  #playMusic(): void {
    const { context, agent, onFrame } = this.#options;
    const { output } = agent;
    const onFatalError = (error: Error): void => this.#fail(error);
    this.#music = new ClipPlayer({ output, ...context.services, onFrame, onFatalError });
    this.#music.repeat(holdMusic(output.outputFormat.sampleRateHz));
  }

  #stopMusic(): void {
    this.#music?.close();
    this.#music = null;
  }

  /** An internal error of this transfer: the user returns to the agent. */
  #fail(error: Error): void {
    this.#options.context.reportError('warm_transfer', error);
    this.#step({ type: 'person_left' });
  }

  #onSpeechError(error: Error): void {
    const text = 'The speech of the target of a warm transfer was not transcribed.';
    this.#options.context.callEvents.add('warning', 'warm_transfer_speech_error', text, {
      code: codeOf(error),
    });
  }

  #record(type: WarmTransferEventType, text: string, details: Record<string, unknown>): void {
    const { context, parameters } = this.#options;
    const failed = type === 'warm_transfer_ended' && !TALKED.has(String(details['outcome']));
    context.callEvents.add(failed ? 'warning' : 'info', type, text, {
      transferId: this.#transferId,
      ...(type === 'warm_transfer_started' && { acceptance: parameters.acceptance }),
      ...details,
    });
  }
}

const THREE_WAY =
  'A human colleague has joined: you are the third party of the conversation. New messages of yours that you did not write are what the colleague said. You were addressed if it is your turn: answer in one or two sentences, then leave the conversation to the two.';

/** Outcomes that do not count as failures. */
const TALKED = new Set<string>(['person_left', 'talk_limit', 'call_ended'] satisfies TransferOutcome[]);

const ENDED: Readonly<Record<TransferOutcome, string>> = {
  busy: 'The line of the person was busy.',
  declined: 'The person declined the call.',
  no_answer: 'The person did not answer in time.',
  unreachable: 'The person could not be reached.',
  refused: 'The call to the person was not placed.',
  not_accepted: 'The person answered but did not accept the call in time.',
  abandoned: 'The person hung up before taking the call.',
  person_left: 'The person hung up after talking with the user.',
  talk_limit: 'The conversation of user and person reached its time limit.',
  call_ended: 'The call ended or moved to another worker.',
};
