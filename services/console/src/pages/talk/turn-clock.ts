/** −45 dBFS: speech, not the noise of a quiet room. */
const AUDIBLE_LEVEL = 0.25;
/** How long before the service heard the speech end it may have ended here. */
const MAX_REPORT_DELAY_MS = 1500;

/** How loud both are, 0 to 1, as the browser SDK measures it. */
export interface Levels {
  readonly microphone: number;
  readonly agent: number;
}

/**
 * Measures, at the listener's end, what a turn takes: from the end of the user's speech (the last moment the microphone was loud
 * before the service said that the speech had ended) or of a text until the answer is heard, or read. Times are of one monotonic clock.
 */
export class TurnClock {
  #lastLoudMs = Number.NEGATIVE_INFINITY;
  /** Null while no answer is awaited. */
  #turnEndMs: number | null = null;
  #wasAudible = false;

  /** The service heard the user's speech begin: the turn isn't over. */
  startedSpeaking(): void {
    this.#turnEndMs = null;
  }

  stoppedSpeaking(atMs: number): void {
    this.#turnEndMs = atMs - this.#lastLoudMs <= MAX_REPORT_DELAY_MS ? this.#lastLoudMs : atMs;
  }

  /** The user sent a text. */
  wrote(atMs: number): void {
    this.#turnEndMs = atMs;
  }

  /**
   * What both sound like at a moment; `isAnswering`: the service says that the agent thinks or speaks. Answers what the turn took when
   * the agent begins to be heard.
   */
  heard({ microphone, agent }: Levels, isAnswering: boolean, atMs: number): number | null {
    if (microphone >= AUDIBLE_LEVEL) this.#lastLoudMs = atMs;
    const isAudible = agent >= AUDIBLE_LEVEL;
    const begins = isAudible && !this.#wasAudible;
    this.#wasAudible = isAudible;
    return begins && isAnswering ? this.answered(atMs) : null;
  }

  /** The answer begins, be it by text: what the turn took; null where none is awaited. */
  answered(atMs: number): number | null {
    if (this.#turnEndMs === null) return null;
    const tookMs = atMs - this.#turnEndMs;
    this.#turnEndMs = null;
    return tookMs;
  }
}

/** `320 ms`, `1.2 s`. */
export function turnText(tookMs: number): string {
  return tookMs < 1000 ? `${Math.round(tookMs)} ms` : `${(tookMs / 1000).toFixed(1)} s`;
}
