import type { VadSpec } from '@calls/api-contract/call-spec';
import { VAD_WINDOW_MS } from '@calls/engine-ports/voice-activity-detector';
import { SpeakerGate } from './speaker-gate.ts';
import { SpeechEnd } from './speech-end.ts';
import type { WindowLevels } from './window-levels.ts';

/**
 * Speech boundaries derived from the probabilities of consecutive windows. An utterance runs from
 * `speech_started` to `endpoint_reached`; in between, `speech_paused` and `speech_resumed` alternate.
 */
export type SpeechEdge =
  | 'speech_started'
  /** Enough speech to count as a turn (minimumTurnDuration). */
  | 'turn_reached'
  /** Enough speech to interrupt the agent (minimumInterruptionDuration, never below minimumTurnDuration). */
  | 'interruption_reached'
  /** Reported before `interruption_reached` if the speech is softer than the user has been (SpeakerGate). */
  | 'speech_soft'
  /** Speech that was reported as soft has become as loud as the user has been. */
  | 'speech_loud'
  /** The user may have finished: speculation may begin. */
  | 'speech_paused'
  | 'speech_resumed'
  /** Silence for turnEndpointDelay: the utterance is over. */
  | 'endpoint_reached';

const NO_EDGES: readonly SpeechEdge[] = [];
const STARTED: readonly SpeechEdge[] = ['speech_started'];
const RESUMED: readonly SpeechEdge[] = ['speech_resumed'];
const PAUSED: readonly SpeechEdge[] = ['speech_paused'];
const ENDED: readonly SpeechEdge[] = ['endpoint_reached'];
const INTERRUPTION: readonly SpeechEdge[] = ['interruption_reached'];
const SOFT_INTERRUPTION: readonly SpeechEdge[] = ['speech_soft', 'interruption_reached'];
const PAUSED_AGAIN: readonly SpeechEdge[] = ['speech_resumed', 'speech_paused'];

/**
 * Speech below this probability is fading out: `speech_paused` is reported one window before the first silent
 * one. The window still counts as speech.
 */
const FADING_PROBABILITY = 0.3;
/** Longer fading may contain words; then the pause is reported again with the first silent window. */
const MAX_FADING_WINDOWS = 2;

/** Number of windows that cover a duration, at least one: 0 to 32 ms behave alike. */
export function windowsOf(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs / VAD_WINDOW_MS));
}

/**
 * Consecutive speech windows that end a pause. In noise, detectors report single ones every few hundred
 * milliseconds, and each would delay the end of the turn.
 */
const RESUME_WINDOWS = 2;

/** Consecutive loud windows that make soft speech loud: single peaks of voices in the background do not. */
const LOUD_WINDOWS = 3;

/** Converts one probability per 32 ms window to edges. Time is counted in windows; there is no clock. */
export class SpeechSegmenter {
  #settings: VadSpec;
  /** Takes effect with the next utterance. */
  #nextSettings: VadSpec | null = null;
  #turnWindows = 1;
  #interruptionWindows = 1;
  #endpointWindows = 1;
  /** Length of the current pause, if endPauseAfter() changed it. */
  #pauseWindows: number | null = null;
  #inUtterance = false;
  /** Speech windows in this utterance. */
  #activeWindows = 0;
  /** Windows since speech ended; a possible flicker counts until the next window confirms speech. */
  #silentWindows = 0;
  /** From the end of speech to the first silent window of the newest pause. */
  #beforeSilenceMs = 0;
  readonly #speechEnd = new SpeechEnd();
  readonly #gate = new SpeakerGate();
  /** Whether the utterance has been soft so far. */
  #isSoft = false;
  #isWindowSoft = false;
  /** Consecutive loud windows of an utterance that has been soft so far. */
  #loudWindows = 0;
  #isSpeech = false;
  /** Consecutive windows of fading speech. */
  #fadingWindows = 0;
  /** Consecutive speech windows in the current pause. RESUME_WINDOWS of them end it. */
  #resumingWindows = 0;

  constructor(settings: VadSpec) {
    this.#settings = settings;
    this.#adopt(settings);
  }

  /** An open utterance keeps its settings. */
  reconfigure(settings: VadSpec): void {
    if (this.#inUtterance) this.#nextSettings = settings;
    else this.#adopt(settings);
  }

  /** Whether a window with this probability can be speech. */
  isActive(probability: number): boolean {
    return probability >= this.#settings.frameActivationThreshold;
  }

  /** Whether the last window counts as speech. */
  get isSpeech(): boolean {
    return this.#isSpeech;
  }

  /** Windows of the current pause, counted from the end of speech; 0 during speech. */
  get silentWindows(): number {
    return this.#silentWindows;
  }

  /** How long before the first silent window of the newest pause speech ended; in steps of 8 ms. */
  get beforeSilenceMs(): number {
    return this.#beforeSilenceMs;
  }

  /** The current pause ends the utterance after this silence instead of turnEndpointDelay. No effect in speech. */
  endPauseAfter(durationMs: number): void {
    if (this.#inUtterance && this.#silentWindows > 0) this.#pauseWindows = windowsOf(durationMs);
  }

  /**
   * Edges caused by this window, in order; usually none. Silence counts from the end of the window in which speech ended
   * according to `levels`; without them, from the last window of speech. Levels also show voices behind the user, see
   * SpeakerGate.
   */
  step(
    probability: number,
    levels: WindowLevels | null = null,
    agentIsAudible = false,
  ): readonly SpeechEdge[] {
    if (levels) this.#speechEnd.push(probability, levels);
    const isBackground = levels !== null && this.#gate.isBackground(probability, levels, agentIsAudible);
    this.#isWindowSoft = levels !== null && this.#gate.isSoft;
    const active = !isBackground && this.isActive(probability);
    this.#isSpeech = active;
    if (!this.#inUtterance) return active ? this.#start() : NO_EDGES;
    if (!active) {
      this.#resumingWindows = 0;
      if (this.#silentWindows > 0) return this.#silent(NO_EDGES);
      this.#beforeSilenceMs = levels ? this.#speechEnd.beforeSilenceMs() : 0;
      this.#silentWindows = Math.floor(this.#beforeSilenceMs / VAD_WINDOW_MS);
      return this.#silent(this.#firstSilent());
    }
    if (this.#silentWindows === 0) return this.#ongoing(probability);
    this.#resumingWindows += 1;
    return this.#resumingWindows < RESUME_WINDOWS
      ? this.#silent(NO_EDGES)
      : this.#speech(RESUME_WINDOWS, RESUMED);
  }

  #adopt(settings: VadSpec): void {
    this.#settings = settings;
    this.#nextSettings = null;
    this.#turnWindows = windowsOf(settings.minimumTurnDurationMs);
    const interruptionWindows = windowsOf(settings.minimumInterruptionDurationMs);
    this.#interruptionWindows = Math.max(interruptionWindows, this.#turnWindows);
    this.#endpointWindows = windowsOf(settings.turnEndpointDelayMs);
  }

  #start(): readonly SpeechEdge[] {
    this.#inUtterance = true;
    this.#activeWindows = 0;
    this.#isSoft = true;
    this.#loudWindows = 0;
    return this.#speech(1, STARTED);
  }

  /** Handles speech that follows speech. */
  #ongoing(probability: number): readonly SpeechEdge[] {
    const fadedBefore = this.#fadingWindows > 0;
    const isTurn = this.#activeWindows >= Math.max(this.#turnWindows, this.#interruptionWindows);
    const fades = isTurn && probability < FADING_PROBABILITY;
    this.#fadingWindows = fades ? this.#fadingWindows + 1 : 0;
    if (fades === fadedBefore) return this.#speech(1, NO_EDGES);
    return this.#speech(1, fades ? PAUSED : RESUMED);
  }

  #speech(windows: number, first: readonly SpeechEdge[]): readonly SpeechEdge[] {
    const before = this.#activeWindows;
    const becomesLoud = this.#followLoudness(windows);
    this.#activeWindows += windows;
    this.#silentWindows = 0;
    this.#pauseWindows = null;
    this.#resumingWindows = 0;
    const reaches = (needed: number): boolean => before < needed && this.#activeWindows >= needed;
    const turnReached = reaches(this.#turnWindows);
    const interruptionReached = reaches(this.#interruptionWindows);
    if (!turnReached && !interruptionReached)
      return becomesLoud && before >= this.#interruptionWindows ? [...first, 'speech_loud'] : first;
    const edges: SpeechEdge[] = [...first];
    if (turnReached) edges.push('turn_reached');
    if (interruptionReached) edges.push(...(this.#isSoft ? SOFT_INTERRUPTION : INTERRUPTION));
    return edges;
  }

  #silent(edges: readonly SpeechEdge[]): readonly SpeechEdge[] {
    this.#silentWindows += 1;
    if (this.#silentWindows < (this.#pauseWindows ?? this.#endpointWindows)) return edges;
    this.endUtterance();
    return [...edges, ...ENDED];
  }

  /** Whether the utterance, which has been soft so far, is now loud. `windows`: the newest ones, alike. */
  #followLoudness(windows: number): boolean {
    if (!this.#isSoft) return false;
    this.#loudWindows = this.#isWindowSoft ? 0 : this.#loudWindows + windows;
    this.#isSoft = this.#loudWindows < Math.min(LOUD_WINDOWS, this.#interruptionWindows);
    return !this.#isSoft;
  }

  /** Reports the pause unless it was reported while speech faded. */
  #firstSilent(): readonly SpeechEdge[] {
    const fadingWindows = this.#fadingWindows;
    this.#fadingWindows = 0;
    if (fadingWindows === 0) return PAUSED;
    return fadingWindows > MAX_FADING_WINDOWS ? PAUSED_AGAIN : NO_EDGES;
  }

  /** Ends the utterance without edges: the next window of speech starts another. */
  endUtterance(): void {
    this.#inUtterance = false;
    this.#fadingWindows = 0;
    if (this.#nextSettings) this.#adopt(this.#nextSettings);
  }
}
