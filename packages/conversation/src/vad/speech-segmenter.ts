import type { VadSpec } from '@calls/api-contract';
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

/** Silence after which the user seems done, in windows. One window is the soonest there is. */
const PAUSE_WINDOWS = 1;

/** Whole windows that cover a duration, at least one: 1 ms to 32 ms behave alike. */
export function windowsOf(durationMs: number): number {
  return Math.max(1, Math.ceil(durationMs / VAD_WINDOW_MS));
}

/** Turns one probability per 32 ms window into edges. Time is counted in windows, so it has no clock and no timer. */
export class SpeechSegmenter {
  readonly #threshold: number;
  readonly #turnWindows: number;
  readonly #interruptionWindows: number;
  readonly #endpointWindows: number;
  #inUtterance = false;
  #activeWindows = 0;
  #silentWindows = 0;

  constructor(settings: VadSpec) {
    this.#threshold = settings.frameActivationThreshold;
    this.#turnWindows = windowsOf(settings.minimumTurnDurationMs);
    this.#interruptionWindows = Math.max(
      windowsOf(settings.minimumInterruptionDurationMs),
      this.#turnWindows,
    );
    this.#endpointWindows = windowsOf(settings.turnEndpointDelayMs);
  }

  /** Edges that this window causes, in order; mostly none. */
  step(probability: number): readonly SpeechEdge[] {
    if (probability >= this.#threshold) return this.#active();
    return this.#inUtterance ? this.#silent() : NO_EDGES;
  }

  #active(): readonly SpeechEdge[] {
    const started = !this.#inUtterance;
    const resumed = this.#inUtterance && this.#silentWindows >= PAUSE_WINDOWS;
    if (started) {
      this.#inUtterance = true;
      this.#activeWindows = 0;
    }
    this.#silentWindows = 0;
    this.#activeWindows += 1;
    const turnReached = this.#activeWindows === this.#turnWindows;
    const interruptionReached = this.#activeWindows === this.#interruptionWindows;
    if (!started && !resumed && !turnReached && !interruptionReached) return NO_EDGES;
    const edges: SpeechEdge[] = [];
    if (started) edges.push('speech_started');
    if (resumed) edges.push('speech_resumed');
    if (turnReached) edges.push('turn_reached');
    if (interruptionReached) edges.push('interruption_reached');
    return edges;
  }

  #silent(): readonly SpeechEdge[] {
    this.#silentWindows += 1;
    const paused = this.#silentWindows === PAUSE_WINDOWS;
    const ended = this.#silentWindows >= this.#endpointWindows;
    if (ended) this.#inUtterance = false;
    if (!paused && !ended) return NO_EDGES;
    const edges: SpeechEdge[] = [];
    if (paused) edges.push('speech_paused');
    if (ended) edges.push('endpoint_reached');
    return edges;
  }
}
