import type { VadSpec } from '@calls/api-contract/call-spec';
import { VAD_WINDOW_MS } from '../ports/voice-activity-detector.ts';

/**
 * What the probabilities of consecutive windows amount to. An utterance runs from `speech_started` to
 * `endpoint_reached`; in between `speech_paused` and `speech_resumed` alternate.
 */
export type SpeechEdge =
  | 'speech_started'
  /** Enough speech to count as a turn (minimumTurnDuration). */
  | 'turn_reached'
  /** Enough speech to interrupt the agent (minimumInterruptionDuration, never below minimumTurnDuration). */
  | 'interruption_reached'
  /** The user seems done: speculation may begin. */
  | 'speech_paused'
  | 'speech_resumed'
  /** Silence for turnEndpointDelay: the utterance is over. */
  | 'endpoint_reached';

const NO_EDGES: readonly SpeechEdge[] = [];
const STARTED: readonly SpeechEdge[] = ['speech_started'];
const RESUMED: readonly SpeechEdge[] = ['speech_resumed'];
const PAUSED: readonly SpeechEdge[] = ['speech_paused'];
const ENDED: readonly SpeechEdge[] = ['endpoint_reached'];
const PAUSED_ANEW: readonly SpeechEdge[] = ['speech_resumed', 'speech_paused'];

/**
 * A window of speech below this probability is where speech fades: the user seems done already, one window before the first
 * silent one. It is speech all the same.
 */
const FADING_PROBABILITY = 0.3;
/** What fades for longer may hold words: then the user seems done anew with the first silent window. */
const MAX_FADING_WINDOWS = 2;

/** Whole windows that cover a duration, at least one, as no less can be told: 0 to 32 ms behave alike. */
export function windowsOf(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs / VAD_WINDOW_MS));
}

/**
 * Active windows in a row that end a pause. A single one is the detector flickering: after speech in noise it comes every
 * few hundred milliseconds, and each would put off the end of the turn.
 */
const RESUME_WINDOWS = 2;

/** Turns one probability per 32 ms window into edges. Time is counted in windows, so it has no clock and no timer. */
export class SpeechSegmenter {
  #settings: VadSpec;
  /** In force from the next utterance on. */
  #nextSettings: VadSpec | null = null;
  #turnWindows = 1;
  #interruptionWindows = 1;
  #endpointWindows = 1;
  #inUtterance = false;
  /** Windows of speech in this utterance. */
  #activeWindows = 0;
  /** Windows since the last speech; one that may be a flicker counts until the next shows what it was. */
  #silentWindows = 0;
  /** Windows in a row in which speech fades; none of them silent. */
  #fadingWindows = 0;
  /** Active windows in a row within a pause. */
  #resumingWindows = 0;

  constructor(settings: VadSpec) {
    this.#settings = settings;
    this.#adopt(settings);
  }

  /** An utterance under way ends by the settings that it began with. */
  reconfigure(settings: VadSpec): void {
    if (this.#inUtterance) this.#nextSettings = settings;
    else this.#adopt(settings);
  }

  /** Whether a window of this probability counts as speech. */
  isSpeech(probability: number): boolean {
    return probability >= this.#settings.frameActivationThreshold;
  }

  /** Edges that this window causes, in order; mostly none. */
  step(probability: number): readonly SpeechEdge[] {
    const active = this.isSpeech(probability);
    if (!this.#inUtterance) return active ? this.#start() : NO_EDGES;
    if (!active) {
      this.#resumingWindows = 0;
      return this.#silent();
    }
    if (this.#silentWindows === 0) return this.#ongoing(probability);
    this.#resumingWindows += 1;
    return this.#resumingWindows < RESUME_WINDOWS ? this.#silent() : this.#speech(RESUME_WINDOWS, RESUMED);
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
    return this.#speech(1, STARTED);
  }

  /** A window of speech right after others. */
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
    this.#activeWindows += windows;
    this.#silentWindows = 0;
    this.#resumingWindows = 0;
    const reaches = (needed: number): boolean => before < needed && this.#activeWindows >= needed;
    const turnReached = reaches(this.#turnWindows);
    const interruptionReached = reaches(this.#interruptionWindows);
    if (!turnReached && !interruptionReached) return first;
    const edges: SpeechEdge[] = [...first];
    if (turnReached) edges.push('turn_reached');
    if (interruptionReached) edges.push('interruption_reached');
    return edges;
  }

  #silent(): readonly SpeechEdge[] {
    this.#silentWindows += 1;
    const edges = this.#silentWindows === 1 ? this.#firstSilent() : NO_EDGES;
    if (this.#silentWindows < this.#endpointWindows) return edges;
    this.#finish();
    return [...edges, ...ENDED];
  }

  /** Unless the user has seemed done since just before. */
  #firstSilent(): readonly SpeechEdge[] {
    const fadingWindows = this.#fadingWindows;
    this.#fadingWindows = 0;
    if (fadingWindows === 0) return PAUSED;
    return fadingWindows > MAX_FADING_WINDOWS ? PAUSED_ANEW : NO_EDGES;
  }

  #finish(): void {
    this.#inUtterance = false;
    if (this.#nextSettings) this.#adopt(this.#nextSettings);
  }
}
