import type { EndOfTurnInput } from '@calls/conversation/ports/end-of-turn';
import { initialTurnState, stepTurn } from '@calls/conversation/turn/step-turn';
import type { TurnTimer } from '@calls/conversation/turn/turn-timer';
import type { TurnEffect, TurnEvent, TurnState } from '@calls/conversation/turn/turn-types';
import { SpeechSegmenter } from '@calls/conversation/vad/speech-segmenter';
import type { WindowLevels } from '@calls/conversation/vad/window-levels';
import { VAD_WINDOW_MS } from '@calls/engine-ports/voice-activity-detector';
import { stageSpec } from '@calls/testkit/call-spec';
import type { SpokenPart } from '../corpus/turn-case.ts';

export interface EndpointSettings {
  turnEndpointDelayMs: number;
  /** See EndOfTurnDetector. */
  extraWaitMs: (pause: EndOfTurnInput) => number;
}

/** The audio of a case in the form that the turn engine receives. */
export interface ScoredTurn {
  language: string;
  parts: readonly SpokenPart[];
  probabilities: Float32Array;
  /** Levels of each window; if null, silence starts after the last window of speech. */
  levels: readonly WindowLevels[] | null;
  /** See completionsOf; null without a model. */
  completions: Float32Array | null;
}

/** Delays of the engines. A generation starts with the transcript, which is requested at the beginning of the pause. */
const STT_MS = 120;
const LLM_MS = 250;
const TTS_MS = 120;
/** The default settings of calls for voice activity detection. */
const { vad: VAD } = stageSpec();

/** A decision of the turn engine to end the user's turn. */
export interface Decision {
  /** Media time of the decision. */
  atMs: number;
  /** Time at which the agent is audible if the user stays silent. */
  audibleMs: number;
}

/**
 * The decisions of the turn engine: one at the end of the turn, and others for each pause that it treats as the end.
 * After each decision, the engine is reset as if the agent had not responded, so that decisions are independent. The
 * simulated transcript is exact: the words of all parts that have begun, without punctuation.
 */
export function playTurn(
  { probabilities, levels, parts, language, completions }: ScoredTurn,
  settings: EndpointSettings,
): Decision[] {
  const segmenter = new SpeechSegmenter({ ...VAD, turnEndpointDelayMs: settings.turnEndpointDelayMs });
  const engine = new TurnEngine({ parts, language, completions, settings, segmenter });
  for (const [window, probability] of probabilities.entries()) {
    const endMs = (window + 1) * VAD_WINDOW_MS;
    engine.advanceTo(endMs);
    for (const edge of segmenter.step(probability, levels?.[window] ?? null))
      engine.dispatch({ type: 'speech', edge });
  }
  return engine.decisions;
}

interface Spoken {
  parts: readonly SpokenPart[];
  language: string;
  completions: Float32Array | null;
  settings: EndpointSettings;
  segmenter: SpeechSegmenter;
}

/** The reducer of the turn, with timers and speech-to-text in virtual time. */
class TurnEngine {
  readonly decisions: Decision[] = [];
  readonly #spoken: Spoken;
  #state: TurnState = listening();
  #nowMs = 0;
  #endpointMs: number | null = null;
  #transcriptRequestedMs = 0;
  #due: { atMs: number; event: TurnEvent }[] = [];

  constructor(spoken: Spoken) {
    this.#spoken = spoken;
  }

  /** Runs all timers that are due by then, in order. */
  advanceTo(nowMs: number): void {
    while (this.#due.length > 0) {
      const next = this.#due.reduce((first, each) => (each.atMs < first.atMs ? each : first));
      if (next.atMs > nowMs) break;
      this.#due.splice(this.#due.indexOf(next), 1);
      this.#nowMs = next.atMs;
      this.dispatch(next.event);
    }
    this.#nowMs = nowMs;
  }

  dispatch(event: TurnEvent): void {
    if (event.type === 'speech') {
      if (event.edge === 'endpoint_reached') this.#endpointMs = this.#nowMs;
      if (event.edge === 'speech_started') this.#endpointMs = null;
    }
    const { state, effects } = stepTurn(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#executeCommand(effect);
  }

  #executeCommand(effect: TurnEffect): void {
    switch (effect.type) {
      case 'transcribe': {
        const { utterance, revision } = effect;
        this.#transcriptRequestedMs = this.#nowMs;
        const evidence = {
          played: '',
          outlastsPlaybackMs: 0,
          durationMs: 0,
          soundMatch: null,
          echoMatch: null,
        };
        this.#schedule(STT_MS, { type: 'transcribed', utterance, revision, text: this.#text, evidence });
        break;
      }
      case 'assess_end': {
        const { utterance, revision, text } = effect;
        const { language, settings, segmenter } = this.#spoken;
        const { turnEndpointDelayMs } = settings;
        const completions = { completion: this.#completion, transcriptCompletion: null };
        const pause = { text, languageHint: language, ...completions, turnEndpointDelayMs };
        const wantedMs = settings.extraWaitMs(pause);
        if (wantedMs < 0) segmenter.endPauseAfter(turnEndpointDelayMs + wantedMs);
        const sinceEndpointMs = this.#endpointMs === null ? 0 : this.#nowMs - this.#endpointMs;
        const extraWaitMs = Math.max(0, wantedMs - sinceEndpointMs);
        this.#schedule(0, { type: 'end_assessed', utterance, revision, extraWaitMs });
        break;
      }
      case 'start_timer':
        this.#cancel(effect.timer);
        this.#schedule(effect.delayMs, { type: 'timer_fired', timer: effect.timer });
        break;
      case 'cancel_timer':
        this.#cancel(effect.timer);
        break;
      case 'end_utterance':
        this.#spoken.segmenter.endUtterance();
        break;
      case 'commit_generation':
        this.decisions.push({
          atMs: this.#nowMs,
          audibleMs: Math.max(this.#nowMs, this.#transcriptRequestedMs + STT_MS + LLM_MS + TTS_MS),
        });
        this.#state = listening();
        this.#due = [];
        break;
      default:
        break;
    }
  }

  get #completion(): number | null {
    const completion = this.#spoken.completions?.[Math.floor(this.#nowMs / VAD_WINDOW_MS)] ?? NaN;
    return Number.isNaN(completion) ? null : completion;
  }

  /** The text that was said so far, without punctuation. All words of a part have the same length. */
  get #text(): string {
    const begun = this.#spoken.parts.filter(({ startMs }) => startMs < this.#nowMs);
    return begun
      .map(({ text, startMs, endMs }) => {
        const words = text.split(' ');
        const share = (this.#nowMs - startMs) / (endMs - startMs);
        return words.slice(0, Math.ceil(words.length * Math.min(1, share))).join(' ');
      })
      .join(' ')
      .replaceAll(/[.,;:!?…¿¡"“”«»]/gu, '');
  }

  #schedule(afterMs: number, event: TurnEvent): void {
    this.#due.push({ atMs: this.#nowMs + afterMs, event });
  }

  #cancel(timer: TurnTimer): void {
    this.#due = this.#due.filter(({ event }) => event.type !== 'timer_fired' || event.timer !== timer);
  }
}

function listening(): TurnState {
  const begun = initialTurnState([], { speculation: false });
  return stepTurn(begun, { type: 'opened', opening: { who: 'user', fallback: null } }).state;
}
