import { MODEL_USAGE_EVENT, RESPONSE_CUT_OFF_EVENT } from '@calls/api-contract/bus/call-log-entry';
import type { MessageMedium } from '@calls/api-contract/data-messages/server-messages';
import type { TokenUsage } from '@calls/engine-ports/language-model';
import { toError } from '@calls/foundation/errors';
import { OutputMixer } from '../playout/output-mixer.ts';
import type { AudioTap } from '../playout/playout.ts';
import type { AudioOutput } from '../ports/media-transport.ts';
import { Responder, type SpokenResponse } from '../response/responder.ts';
import type { RecordSink } from '../response/response-record.ts';
import { SentenceSplitter } from '../response/sentence-splitter.ts';
import { updatesOf } from '../response/sentence-updates.ts';
import { Speaker, type SpokenChunk } from '../response/speaker.ts';
import { liveStage, type LiveStage } from '../tools/call-state.ts';
import type { ToolAction } from '../tools/tool-outcome.ts';
import { callMessageOf } from '../transcript/call-message.ts';
import { ConversationLog } from '../transcript/conversation-log.ts';
import { plainText } from '../transcript/plain-text.ts';
import { callEnd } from '../turn/transitions.ts';
import type { AgentTurn, CallEnd, GenerationId } from '../turn/turn-types.ts';
import type { CallContext } from './call-context.ts';
import type { CallSnapshot } from './call-snapshot.ts';
import { CallTools } from './call-tools.ts';
import type { StartedResponse } from './response-start.ts';

export interface AgentSideOptions {
  context: CallContext;
  start: CallSnapshot;
  /** Whether this session continues an earlier one from `start`. */
  resumed: boolean;
  output: AudioOutput;
  /** See CallToolsOptions. */
  hangUp: (end: CallEnd) => void;
  /** Called before the turn engine is notified. */
  onResponseStarted: (response: StartedResponse) => void;
  onAudio: AudioTap | null;
  onStage: (stage: LiveStage['spec']) => void;
}

/** The agent's side of one call: current stage, conversation log, voice, tools and responses. */
export class AgentSide {
  /** Mixes all audio for the user. */
  readonly output: OutputMixer;
  readonly conversation: ConversationLog;
  readonly tools: CallTools;
  readonly responder: Responder;
  readonly #options: AgentSideOptions;
  #stage: LiveStage;
  #speaker: Speaker;
  #closed = false;

  constructor(options: AgentSideOptions) {
    this.#options = options;
    const { context, start, resumed } = options;
    const { callTimeMs, send, emit } = context;
    const { pacer, clock } = context.services;
    this.output = new OutputMixer({ output: options.output, pacer, clock, onFatalError: context.fail });
    this.#loadBackground();
    this.#stage = liveStage(start.stage, start.state);
    this.#speaker = this.#createSpeaker();
    this.conversation = new ConversationLog({
      start,
      resumed,
      callTimeMs,
      usage: () => this.responder.usage,
      send,
      emit,
    });
    this.tools = this.#createTools();
    this.responder = this.#createResponder();
    if (!resumed) this.conversation.begin(start.stage.initialMessages.map(callMessageOf));
  }

  get stage(): LiveStage['spec'] {
    return this.#stage.spec;
  }

  /** The state that another session needs to continue the call. Complete after `close`. */
  get snapshot(): CallSnapshot {
    const { spec: stage, state } = this.#stage;
    const { medium: outputMedium, usage } = this.responder;
    const { joinedAtMs } = this.#options.start;
    const { navigation, answer } = this.#options.context;
    const position = { ...this.conversation.position, outputMedium };
    const menu = { inMenu: navigation.isOn, answer: answer() };
    return { stage, state: state.value, ...position, ...menu, usage, joinedAtMs };
  }

  /** Call it at the start of a session that continues the call. */
  recordReconnect(): void {
    const { callEvents } = this.#options.context;
    callEvents.add('info', 'connection_restored', 'The client reconnected.', null);
    this.tools.recordLostResults();
  }

  /**
   * Lets the next session complete `response`, the last one of this session. Call it after the response was
   * interrupted.
   */
  leaveUnfinished(response: AgentTurn | null): void {
    const missing = response ? this.responder.remainderOf(response.generation) : undefined;
    if (!response || missing === undefined || missing?.trim() === '') return;
    const cutOff = {
      remainder: missing === null ? null : plainText(missing),
      interruptible: response.interruptible,
    };
    this.conversation.cutOff = cutOff;
    this.#options.context.callEvents.record(
      'debug',
      RESPONSE_CUT_OFF_EVENT,
      'The response was cut off. The agent continues it when the client is connected again.',
      cutOff,
    );
  }

  /** Synthesizes text in the agent's voice, outside of the conversation. */
  speak(text: string, signal: AbortSignal): AsyncIterable<SpokenChunk> {
    const splitter = new SentenceSplitter();
    const sentences = [...splitter.push(text), ...splitter.flush()];
    return this.#speaker.speak(iterated(updatesOf(sentences)), signal);
  }

  /** Sets the medium of future responses. */
  setOutputMedium(medium: MessageMedium): void {
    if (medium === this.responder.medium) return;
    this.responder.medium = medium;
    this.#options.context.emit({ type: 'output_medium_set', medium });
  }

  /** Stops all work. */
  close(): void {
    this.#closed = true;
    this.responder.close();
    this.tools.close();
    this.output.close();
  }

  /** The clip starts as soon as it is loaded. The call continues without it if loading fails. */
  #loadBackground(): void {
    const { spec, services, reportError } = this.#options.context;
    if (!spec.backgroundAudio) return;
    const { audioClip, volume } = spec.backgroundAudio;
    services.backgroundClips.load(audioClip, this.output.outputFormat.sampleRateHz, spec).then(
      (clip) => this.output.playBackground(clip, volume),
      (thrown: unknown) => reportError('background_audio', toError(thrown)),
    );
  }

  #createTools(): CallTools {
    const { context, start, output, hangUp } = this.#options;
    return new CallTools({
      context,
      joinedAtMs: start.joinedAtMs,
      outputSampleRateHz: output.outputFormat.sampleRateHz,
      hasVoiceOutput: () => this.responder.medium === 'voice',
      stage: () => this.#stage,
      log: this.conversation,
      hangUp,
      beginStage: (action, toolName) => this.#beginStage(action, toolName),
    });
  }

  #createSpeaker(): Speaker {
    const { spec, services, reportError } = this.#options.context;
    const { voice, languageHint } = this.#stage.spec;
    return new Speaker({
      textToSpeech: services.textToSpeech,
      voice,
      fallbackVoice: services.fallbackVoice,
      languageHint,
      signatureHeaders: () => services.tools.signatureHeaders(spec.callId, spec.sharedSecrets),
      clock: services.clock,
      onError: (error) => reportError('voice', error),
    });
  }

  /** Begins the stage once everything said before it has been played. */
  #beginStage({ stage, keeps }: ToolAction & { kind: 'new_stage' }, toolName: string): void {
    const { context, onStage } = this.#options;
    const { emit, callEvents } = context;
    const begins = keeps.history ? null : stage.initialMessages.map(callMessageOf);
    this.conversation.beginStage(stage.stageId, begins, (messageCount) => {
      const carriedOver = keeps.state ? { callState: this.#stage.state.value } : {};
      this.#stage = liveStage(stage, carriedOver.callState);
      this.#speaker = this.#createSpeaker();
      emit({ type: 'stage_began', stageId: stage.stageId, messageCount, ...carriedOver });
      const about = { stageId: stage.stageId, toolName };
      callEvents.add('info', 'stage_began', 'A new stage began.', about);
      onStage(stage);
    });
  }

  #createResponder(): Responder {
    const { context, start, onResponseStarted, onAudio } = this.#options;
    const { spec, services, navigation, dispatch, reportError, fail } = context;
    const { clock, metrics, languageModel, pacer } = services;
    const { greetingPromptEnabled } = spec;
    return new Responder(
      {
        context: () => ({
          stage: this.#stage.spec,
          history: this.conversation.history,
          greetingPromptEnabled,
        }),
        languageHint: () => this.#stage.spec.languageHint,
        expectsWords: () => !navigation.isOn,
        languageModel,
        speaker: () => this.#speaker,
        tools: this.tools,
        sink: (medium) => this.#sink(medium),
        output: this.output,
        pacer,
        clock,
        responses: {
          onAudioStarted: (generation, times, silenceMs) => {
            onResponseStarted({ generation, medium: 'voice', times, silenceMs });
            dispatch({ type: 'audio_started', generation });
          },
          onTextShown: (generation, times) => {
            onResponseStarted({ generation, medium: 'text', times, silenceMs: () => 0 });
            dispatch({ type: 'text_shown', generation });
          },
          onToolsRunning: (generation, running) =>
            dispatch({ type: running ? 'tools_started' : 'tools_settled', generation }),
          onSilent: (generation) => dispatch({ type: 'fell_silent', generation }),
          onSpoken: (generation, spoken) => this.#onSpoken(generation, spoken),
        },
        generations: {
          onToolAction: (generation, asked) => this.#onToolAction(generation, asked),
          onUsage: (usage) => this.#onUsage(usage),
          onError: (error) => reportError('response', error),
        },
        monitor: {
          onFrameSent: (latenessMs) => metrics.frameSent(latenessMs),
          onStarved: () => metrics.playoutStarved(),
          onFatalError: fail,
          onAudio,
        },
      },
      start,
    );
  }

  /** Token counts per stage are summed from these call events. */
  #onUsage(usage: TokenUsage): void {
    if (this.#closed) return;
    this.#options.context.callEvents.add('debug', MODEL_USAGE_EVENT, 'The model reported token usage.', {
      ...usage,
    });
  }

  #sink(medium: MessageMedium): RecordSink {
    const { conversation, tools } = this;
    return {
      openAgentEntry: () => conversation.openAgentEntry(medium),
      toolCalled: (call) => tools.recordCall(call),
      toolReturned: (call, outcome, times) => {
        if (this.#closed) return;
        try {
          tools.recordResult(call, outcome, times);
        } catch (thrown) {
          this.#options.context.fail(toError(thrown));
        }
      },
    };
  }

  /** Called while the response is still playing; from here on the user cannot change the outcome. */
  #onToolAction(generation: GenerationId, asked: ToolAction): void {
    if (asked.kind === 'final_message') this.tools.end(asked.text);
    else if (asked.kind === 'hang_up' && !asked.unlessAnswered)
      this.#options.context.dispatch({
        type: 'answer_is_last',
        generation,
        ...callEnd('agent_hangup', asked),
      });
  }

  #onSpoken(generation: GenerationId, { action, ...spoken }: SpokenResponse): void {
    const next = action?.kind === 'hang_up' ? { next: action } : {};
    this.#options.context.dispatch({ type: 'spoken', generation, ...spoken, ...next });
  }
}

async function* iterated<T>(values: readonly T[]): AsyncGenerator<T> {
  await Promise.resolve();
  yield* values;
}
