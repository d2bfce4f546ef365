import type { SpeechEvidence } from '../turn/transcript/echo.ts';

/**
 * Upper bound of the delay from playout to the echo in the microphone: network both ways, client buffers, the
 * room. Includes the error of estimated word timings.
 */
export const ECHO_DELAY_MS = 1000;
/** Upper bound of the error of word timings. */
const WORD_TIME_ERROR_MS = 300;
/** More words than can overlap with one utterance. */
const MAX_WORDS = 1000;

interface PlayedText {
  text: string;
  /** Call time by which the text was played. */
  endMs: number;
}

/** Records when each of the agent's words was played. */
export class PlayedTranscript {
  #played: PlayedText[] = [];

  /** Adds text that was played by `endMs`, in call time. */
  add(text: string, endMs: number): void {
    this.#played.push({ text, endMs });
    if (this.#played.length > MAX_WORDS) this.#played = this.#played.slice(-MAX_WORDS / 2);
  }

  /** Returns the evidence for an utterance spoken from `startMs` to `endMs`, in call time. */
  evidenceFor(startMs: number, endMs: number): Omit<SpeechEvidence, 'soundMatch' | 'echoMatch'> {
    const during = this.#played.filter(
      (word) => word.endMs >= startMs - ECHO_DELAY_MS && word.endMs <= endMs + WORD_TIME_ERROR_MS,
    );
    const last = during.at(-1);
    return {
      played: during.map(({ text }) => text).join(''),
      outlastsPlaybackMs: last ? Math.max(0, endMs - last.endMs) : 0,
      durationMs: Math.max(0, endMs - startMs),
    };
  }
}
