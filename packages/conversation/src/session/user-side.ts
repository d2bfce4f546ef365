import { msToDuration, type ServerMessage, type StageSpec } from '@calls/api-contract';
import { toError, withTimeout } from '@calls/foundation';
import { END_OF_TURN_LIMIT_MS, MAX_EXTRA_WAIT_MS } from '../ports/end-of-turn.ts';
import type { UserContent } from '../ports/language-model.ts';
import type { MediaTransport } from '../ports/media-transport.ts';
import type { Assumption, TurnEffect, TurnEvent, TurnSettings } from '../turn/turn-types.ts';
import type { SpeechEdge } from '../vad/speech-segmenter.ts';
import { RecentWords } from './recent-words.ts';
import type { ConversationServices } from './services.ts';
import { SpeechInput } from './speech-input.ts';
import type { TurnNotes } from './turn-notes.ts';

export type UserEffect = TurnEffect & {
  type: 'open_utterance' | 'transcribe' | 'close_utterance' | 'assess_end';
};

export interface UserSideOptions {
  /** The stage that the call is in. */
  stage: StageSpec;
  /** Call time at which the media time of this transport begins. */
  startsAtMs: number;
  transport: MediaTransport;
  services: ConversationServices;
  notes: TurnNotes;
  send: (message: ServerMessage) => void;
  dispatch: (event: TurnEvent) => void;
  onFault: (part: string, fault: Error) => void;
  /** As that of SpeechInput. */
  onAudio: ((samples: Int16Array) => void) | null;
}

/** The user of one call: what is heard of them, as events of the turn loop. */
export class UserSide {
  readonly #options: UserSideOptions;
  readonly #input: SpeechInput;
  readonly #agentWords = new RecentWords();
  readonly #closing = new AbortController();
  #languageHint: string | null;
  #utteranceStartedMs = 0;
  /** When the endpoint of the utterance was reached, on the clock; null while it is to come. */
  #endpointMs: number | null = null;

  constructor(options: UserSideOptions) {
    this.#options = options;
    const { stage, transport, services, notes, onAudio, onFault, dispatch } = options;
    this.#languageHint = stage.languageHint;
    this.#input = new SpeechInput({
      ...this.#speechSettings(stage),
      inputSampleRateHz: transport.inputFormat.sampleRateHz,
      detector: services.voiceActivity.createDetector(),
      speechToText: services.speechToText,
      transcriptionLimitMs: services.limits.transcriptionMs,
      clock: services.clock,
      listener: {
        onEdge: (edge, atMs) => this.#onEdge(edge, options.startsAtMs + atMs),
        onWords: (utterance, text) => dispatch({ type: 'words_heard', utterance, text, ...this.#agent() }),
        onTranscript: (utterance, revision, text) => {
          if (text !== '') notes.transcribed();
          dispatch({ type: 'transcribed', utterance, revision, text, ...this.#agent() });
        },
        onTranscriptionFailed: (utterance, revision) =>
          dispatch({ type: 'transcription_failed', utterance, revision }),
        onFault: (fault) => onFault('speech_input', fault),
        onAudio,
      },
    });
  }

  /** What the turn reducer is to know at the start of a stage. */
  settingsOf(stage: StageSpec): Omit<TurnSettings, 'speculation'> {
    const { languageModel } = this.#options.services;
    return { languageHint: stage.languageHint, hearsAudio: languageModel.hearsAudio(stage.model) };
  }

  /** Call time at which the utterance began. */
  get utteranceStartedMs(): number {
    return this.#utteranceStartedMs;
  }

  push(samples: Int16Array): void {
    this.#input.push(samples);
  }

  /** Takes missing audio as silence. */
  pushSilence(durationMs: number): void {
    this.#input.pushSilence(durationMs);
  }

  /** What the user is told of the agent, so that its voice is known when it comes back. */
  hears(message: ServerMessage): void {
    if (message.type !== 'transcript' || message.role !== 'agent' || message.final) return;
    this.#agentWords.add(message.delta ?? message.text ?? '');
  }

  beginStage(stage: StageSpec): void {
    this.#languageHint = stage.languageHint;
    this.#input.reconfigure(this.#speechSettings(stage));
    const { inactivityMessages } = stage;
    this.#options.dispatch({ type: 'stage_changed', inactivityMessages, ...this.settingsOf(stage) });
  }

  apply(effect: UserEffect): void {
    switch (effect.type) {
      case 'open_utterance':
        return this.#input.openUtterance(effect.utterance);
      case 'transcribe':
        return this.#input.transcribe(effect.utterance, effect.revision);
      case 'close_utterance':
        return this.#input.closeUtterance(effect.utterance);
      case 'assess_end':
        return void this.#assess(effect);
    }
  }

  /** What an answer takes as said, in the form of the model's messages. */
  contentOf(assuming: Assumption | null): UserContent | null {
    if (!assuming) return null;
    if (assuming.kind === 'words') return assuming.text;
    return [{ type: 'audio', samples: this.#input.utteranceAudio(assuming.utterance) }];
  }

  close(): void {
    this.#closing.abort(new Error('call ended'));
    this.#input.close();
  }

  #speechSettings(stage: StageSpec): Pick<StageSpec, 'vad' | 'languageHint'> & { keepsAudio: boolean } {
    const { languageModel, endOfTurn } = this.#options.services;
    const keepsAudio = endOfTurn.hearsAudio || languageModel.hearsAudio(stage.model);
    return { vad: stage.vad, languageHint: stage.languageHint, keepsAudio };
  }

  #agent(): { agentWords: string } {
    return { agentWords: this.#agentWords.text };
  }

  #onEdge(edge: SpeechEdge, atMs: number): void {
    const { services, notes, send, dispatch } = this.#options;
    const callTimestamp = msToDuration(atMs);
    switch (edge) {
      case 'speech_started':
        this.#utteranceStartedMs = atMs;
        this.#endpointMs = null;
        send({ type: 'user_started_speaking', callTimestamp });
        break;
      case 'speech_resumed':
        send({ type: 'user_started_speaking', callTimestamp });
        break;
      case 'speech_paused':
        send({ type: 'user_stopped_speaking', callTimestamp });
        break;
      case 'endpoint_reached':
        this.#endpointMs = services.clock.nowMs();
        notes.endpointReached(this.#input.lastSpeechArrivedMs);
        break;
      case 'turn_reached':
      case 'interruption_reached':
        break;
    }
    dispatch({ type: 'speech', edge });
  }

  async #assess({ utterance, revision, text }: UserEffect & { type: 'assess_end' }): Promise<void> {
    const { services, dispatch, onFault } = this.#options;
    const { clock, endOfTurn } = services;
    let wantedMs = 0;
    try {
      const audio = (): Int16Array => this.#input.utteranceAudio(utterance);
      const pause = { text, languageHint: this.#languageHint, audio };
      const verdict = endOfTurn.extraWaitMs(pause, this.#closing.signal);
      wantedMs = await withTimeout(clock, verdict, END_OF_TURN_LIMIT_MS, 'end-of-turn detection');
    } catch (thrown) {
      if (!this.#closing.signal.aborted) onFault('end_of_turn', toError(thrown));
    }
    const sinceEndpointMs = this.#endpointMs === null ? 0 : clock.nowMs() - this.#endpointMs;
    const extraWaitMs = Math.max(0, Math.min(MAX_EXTRA_WAIT_MS, wantedMs) - sinceEndpointMs);
    dispatch({ type: 'end_assessed', utterance, revision, extraWaitMs });
  }
}
