import type { StageSpec } from '@calls/api-contract/call-spec';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import { msToDuration } from '@calls/api-contract/duration';
import type { UserContent } from '@calls/engine-ports/language-model';
import { SPEECH_RATE_HZ } from '@calls/engine-ports/speech-to-text';
import { MAX_TURN_SAMPLES } from '@calls/engine-ports/turn-completion-model';
import { VAD_WINDOW_MS } from '@calls/engine-ports/voice-activity-detector';
import { withTimeout } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { END_OF_TURN_LIMIT_MS, MAX_EXTRA_WAIT_MS } from '../ports/end-of-turn.ts';
import type { MediaTransport } from '../ports/media-transport.ts';
import { initialTurnState } from '../turn/step-turn.ts';
import type { SpeechEvidence } from '../turn/transcript/echo.ts';
import { duckMsOf, type TurnSettings } from '../turn/turn-settings.ts';
import type { Assumption, TurnEffect, TurnState, UtteranceId } from '../turn/turn-types.ts';
import type { SpeechEdge } from '../vad/speech-segmenter.ts';
import type { AnswerDetection } from './answer-detection.ts';
import type { CallContext } from './call-context.ts';
import { AudioHistory, echoCorrelation, EchoDetector } from './echo-correlation.ts';
import { PauseCompletion, type Pause } from './pause-completion.ts';
import { PlayedTranscript } from './played-transcript.ts';
import { SpeechInput, type SpeechInputOptions } from './speech-input.ts';
import type { TurnReporter } from './turn-reporter.ts';

export type UserEffect = TurnEffect & {
  type: 'open_utterance' | 'transcribe' | 'close_utterance' | 'end_utterance' | 'assess_end';
};

type AssessEnd = UserEffect & { type: 'assess_end' };

export interface UserSideOptions {
  context: CallContext;
  /** The current stage. */
  stage: StageSpec;
  /** Call time at the start of this transport's media time. */
  startsAtMs: number;
  transport: MediaTransport;
  reporter: TurnReporter;
  /** Null if what answered the call is known or not asked for. */
  answer: AnswerDetection | null;
  /** See SpeechInputListener.onAudio. */
  onAudio: ((samples: Int16Array) => void) | null;
}

/** The user's side of one call: converts the user's audio to events of the turn loop. */
export class UserSide {
  readonly #options: UserSideOptions;
  readonly #input: SpeechInput;
  readonly #playedTranscript = new PlayedTranscript();
  readonly #capturedAudio = new AudioHistory();
  readonly #playedAudio = new AudioHistory();
  readonly #echo = new EchoDetector(this.#capturedAudio, this.#playedAudio);
  readonly #closing = new AbortController();
  #languageHint: string | null;
  #endpointDelayMs: number;
  #utteranceStartedMs = 0;
  /** The last interim transcript that was sent; empty if there is none. */
  #interim = '';
  /** The value last sent to the turn engine. */
  #speculation = false;
  /** Call time at which the last speech of the utterance ended; null while the user speaks. */
  #speechEndedMs: number | null = null;
  readonly #pauseCompletion: PauseCompletion;
  /** Of speech-to-text, in the current pause. */
  #transcriptCompletion: number | null = null;
  /** The end that was last assessed in the current pause. */
  #assessed: AssessEnd | null = null;
  /** When the endpoint was reached, on the monotonic clock; null before. */
  #endpointMs: number | null = null;

  constructor(options: UserSideOptions) {
    this.#options = options;
    const { context, stage, transport, reporter, answer, onAudio } = options;
    const { services, dispatch, navigation, reportError } = context;
    this.#languageHint = stage.languageHint;
    this.#endpointDelayMs = stage.vad.turnEndpointDelayMs;
    this.#pauseCompletion = new PauseCompletion(services);
    this.#input = new SpeechInput({
      ...this.#speechSettings(stage),
      inputSampleRateHz: transport.inputFormat.sampleRateHz,
      detector: services.voiceActivity.createDetector(),
      speechToText: services.speechToText,
      transcriptionLimitMs: services.limits.transcriptionMs,
      clock: services.clock,
      isEcho: (atMs) => this.#echo.isEcho(options.startsAtMs + atMs),
      listener: {
        onEdge: (edge, atMs) => this.#onEdge(edge, options.startsAtMs + atMs),
        onPause: (utterance) => void this.#judgePause(utterance),
        onWindow: (probability, atMs) => answer?.window(probability, atMs),
        onInterimTranscript: (utterance, { text, isWhole }) => {
          const evidence = this.#evidence(false);
          this.#sendInterim(text);
          navigation.transcript(text, true);
          dispatch({ type: 'words_heard', utterance, text, isWhole, evidence });
          answer?.transcript(text);
        },
        onCompletion: (utterance, completion) => {
          if (this.#speechEndedMs === null) return;
          this.#transcriptCompletion = completion;
          // The result of a model does not change during a pause.
          const hasModel = services.endOfTurn.model !== null;
          if (!hasModel && this.#assessed?.utterance === utterance) void this.#assess(this.#assessed);
        },
        onTranscript: (utterance, revision, text) => {
          if (text !== '') {
            reporter.transcribed(utterance);
            this.#sendInterim(text);
          }
          navigation.transcript(text, false);
          dispatch({ type: 'transcribed', utterance, revision, text, evidence: this.#evidence(true) });
          answer?.transcript(text);
        },
        onTranscriptionFailed: (utterance, revision) =>
          dispatch({ type: 'transcription_failed', utterance, revision }),
        onError: (error) => reportError('speech_input', error),
        onDetectorAudio: (samples, atMs) => {
          this.#capturedAudio.write(samples, SPEECH_RATE_HZ, options.startsAtMs + atMs);
          answer?.audio(samples, atMs);
        },
        onAudio,
      },
    });
  }

  /** Initial turn state in this stage. */
  turnStateAt(stage: StageSpec): TurnState {
    const { services, navigation } = this.#options.context;
    this.#speculation = services.limits.speculation;
    const settings = { ...this.#settingsOf(stage), speculation: this.#speculation };
    return initialTurnState(stage.inactivityMessages, settings, navigation.menu);
  }

  /** Call time at the start of the utterance. */
  get utteranceStartedMs(): number {
    return this.#utteranceStartedMs;
  }

  /** When the last speech window arrived, on the monotonic clock. */
  get lastSpeechMs(): number {
    return this.#input.lastSpeechArrivedMs;
  }

  push(samples: Int16Array): void {
    this.#input.push(samples);
  }

  /** Substitutes silence for missing audio. */
  pushSilence(durationMs: number): void {
    this.#input.pushSilence(durationMs);
  }

  /** Reads the agent's words from its transcript, which follows playback, to detect echo. */
  addPlayedTranscript(message: ServerMessage): void {
    if (message.type !== 'transcript' || message.role !== 'agent') return;
    if (message.final || message.medium !== 'voice') return;
    this.#playedTranscript.add(message.delta ?? message.text ?? '', this.#options.context.callTimeMs());
  }

  /** Agent audio that started to play at `startMs`, in call time. */
  addAgentAudio(samples: Int16Array, startMs: number): void {
    this.#input.noteAgentAudio();
    this.#playedAudio.write(samples, this.#options.transport.outputFormat.sampleRateHz, startMs);
  }

  beginStage(stage: StageSpec): void {
    this.#languageHint = stage.languageHint;
    this.#endpointDelayMs = stage.vad.turnEndpointDelayMs;
    this.#input.reconfigure(this.#speechSettings(stage));
    const { inactivityMessages } = stage;
    this.#options.context.dispatch({ type: 'stage_changed', inactivityMessages, ...this.#settingsOf(stage) });
  }

  /**
   * Notifies the turn engine if speculation was enabled or disabled. Call it after speech edges and transcripts, which
   * can start a generation.
   */
  #followSpeculation(): void {
    const { services, dispatch } = this.#options.context;
    const { speculation } = services.limits;
    if (speculation === this.#speculation) return;
    this.#speculation = speculation;
    dispatch({ type: 'speculation_changed', speculation });
  }

  apply(effect: UserEffect): void {
    switch (effect.type) {
      case 'open_utterance':
        return this.#input.openUtterance(effect.utterance);
      case 'transcribe':
        return this.#input.transcribe(effect.utterance, effect.revision);
      case 'close_utterance':
        this.#sendInterim('');
        return this.#input.closeUtterance(effect.utterance);
      case 'end_utterance':
        return this.#endUtterance();
      case 'assess_end':
        return void this.#assess(effect);
    }
  }

  /** Converts what a speculative generation assumes the user said to a model message. */
  contentOf(assuming: Assumption | null): UserContent | null {
    if (!assuming) return null;
    if (assuming.kind === 'words') return assuming.text;
    return [{ type: 'audio', samples: this.#input.utteranceAudio(assuming.utterance) }];
  }

  close(): void {
    this.#pauseCompletion.end();
    this.#closing.abort(new Error('call ended'));
    this.#input.close();
  }

  #settingsOf(stage: StageSpec): Omit<TurnSettings, 'speculation'> {
    const { languageModel } = this.#options.context.services;
    return {
      languageHint: stage.languageHint,
      acceptsAudio: languageModel.acceptsAudio(stage.model),
      duckMs: duckMsOf(stage.vad.minimumInterruptionDurationMs),
    };
  }

  #speechSettings(stage: StageSpec): Pick<SpeechInputOptions, 'vad' | 'transcription' | 'buffersAudio'> {
    const { languageModel, endOfTurn } = this.#options.context.services;
    const buffersAudio = endOfTurn.model !== null || languageModel.acceptsAudio(stage.model);
    const { vad, languageHint, keyTerms } = stage;
    return { vad, transcription: { languageHint, keyTerms }, buffersAudio };
  }

  /** `isWhole`: the utterance is over, so that its audio can be compared with what was played. */
  #evidence(isWhole: boolean): SpeechEvidence {
    const [captured, played] = [this.#capturedAudio, this.#playedAudio];
    const [startMs, endMs] = [this.#utteranceStartedMs, this.#utteranceEndMs];
    return {
      ...this.#playedTranscript.evidenceFor(startMs, endMs),
      soundMatch: isWhole ? echoCorrelation(captured, played, startMs - VAD_WINDOW_MS, endMs) : null,
      echoMatch: this.#echo.similarity(startMs, endMs),
    };
  }

  #sendInterim(text: string): void {
    if (text === this.#interim) return;
    this.#interim = text;
    this.#options.context.send({ type: 'interim_transcript', text });
  }

  get #utteranceEndMs(): number {
    return this.#speechEndedMs ?? this.#options.context.callTimeMs();
  }

  #onEdge(edge: SpeechEdge, atMs: number): void {
    const { context, reporter } = this.#options;
    const { services, send, dispatch } = context;
    this.#followSpeculation();
    const callTimestamp = msToDuration(atMs);
    switch (edge) {
      case 'speech_started':
        this.#endPause();
        this.#utteranceStartedMs = atMs;
        this.#endpointMs = null;
        send({ type: 'user_started_speaking', callTimestamp });
        break;
      case 'speech_resumed':
        this.#endPause();
        send({ type: 'user_started_speaking', callTimestamp });
        break;
      case 'speech_paused':
        this.#speechEndedMs = atMs;
        send({ type: 'user_stopped_speaking', callTimestamp });
        break;
      case 'endpoint_reached':
        this.#endpointMs = services.clock.nowMs();
        reporter.endpointReached(this.#input.speechEndArrivedMs);
        break;
      case 'turn_reached':
      case 'interruption_reached':
      case 'speech_soft':
      case 'speech_loud':
        break;
    }
    dispatch({ type: 'speech', edge });
  }

  #endPause(): void {
    this.#pauseCompletion.end();
    this.#transcriptCompletion = null;
    this.#assessed = null;
    this.#speechEndedMs = null;
  }

  /** The turn is over although the VAD reports speech. Latency counts from now. */
  #endUtterance(): void {
    const { services, send, callTimeMs } = this.#options.context;
    this.#input.endUtterance();
    this.#pauseCompletion.end();
    if (this.#speechEndedMs === null)
      send({ type: 'user_stopped_speaking', callTimestamp: msToDuration(callTimeMs()) });
    this.#speechEndedMs ??= callTimeMs();
    this.#endpointMs = services.clock.nowMs();
    this.#options.reporter.endpointReached(this.#endpointMs);
  }

  async #assess(effect: AssessEnd): Promise<void> {
    const { utterance, revision, text } = effect;
    const { services, navigation, callTimeMs, dispatch, reportError } = this.#options.context;
    const { clock, endOfTurn } = services;
    const { signal } = this.#closing;
    const pause = this.#judgePause(utterance);
    this.#assessed = effect;
    const turnEndpointDelayMs = this.#endpointDelayMs;
    let wantedMs = 0;
    try {
      const words = { text, languageHint: this.#languageHint, turnEndpointDelayMs };
      const judge = async (): Promise<number> => {
        const completion = pause && (await this.#pauseCompletion.resultOf(pause));
        const transcriptCompletion = this.#transcriptCompletion;
        return endOfTurn.extraWaitMs({ ...words, completion, transcriptCompletion }, signal);
      };
      wantedMs = await withTimeout(clock, judge(), END_OF_TURN_LIMIT_MS, 'end-of-turn detection');
    } catch (thrown) {
      if (!signal.aborted) reportError('end_of_turn', toError(thrown));
    }
    const sinceEndpointMs = this.#endpointMs === null ? 0 : clock.nowMs() - this.#endpointMs;
    const menuPauseMs = navigation.pauseMs(text, callTimeMs() - this.#utteranceStartedMs);
    const longestMs =
      menuPauseMs === null ? Math.min(MAX_EXTRA_WAIT_MS, wantedMs) : menuPauseMs - turnEndpointDelayMs;
    if (menuPauseMs === null && wantedMs < 0 && this.#pauseCompletion.isCurrent(pause))
      this.#input.endPauseAfter(turnEndpointDelayMs + wantedMs);
    const extraWaitMs = Math.max(0, longestMs - sinceEndpointMs);
    dispatch({ type: 'end_assessed', utterance, revision, extraWaitMs });
  }

  /** Null without a model or pause. */
  #judgePause(utterance: UtteranceId): Pause | null {
    if (this.#speechEndedMs === null) return null;
    return this.#pauseCompletion.begin(() =>
      this.#input.utteranceAudio(utterance).subarray(-MAX_TURN_SAMPLES),
    );
  }
}
