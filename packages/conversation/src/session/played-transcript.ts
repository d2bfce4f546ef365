import type { SpeechEvidence } from '../turn/transcript/speech-evidence.ts';

/**
 * Upper bound for the way of the agent's voice back into the microphone: the network both ways, the client's buffers, the
 * room. Includes the error of word times that are estimated, where a voice tells none.
 */
export const ECHO_DELAY_MS = 1000;
/** Word times may be late by this much. */
const WORD_TIME_ERROR_MS = 300;
/** More than are played during one utterance. */
const MAX_WORDS = 1000;

interface PlayedText {
  text: string;
  /** Call time at which it had been played. */
  endMs: number;
}

/** When which words of the agent were played. */
export class PlayedTranscript {
  #played: PlayedText[] = [];

  /** `text` had been played by `endMs`, in call time. */
  add(text: string, endMs: number): void {
    this.#played.push({ text, endMs });
    if (this.#played.length > MAX_WORDS) this.#played = this.#played.slice(-MAX_WORDS / 2);
  }

  /** For an utterance that was spoken from `startMs` to `endMs`, in call time. */
  evidenceFor(startMs: number, endMs: number): Omit<SpeechEvidence, 'soundMatch'> {
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
