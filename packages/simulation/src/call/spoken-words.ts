import type { SpeechToText, Transcript } from '@calls/engine-ports/speech-to-text';
import type { SpeechChunk, TextToSpeech } from '@calls/engine-ports/text-to-speech';
import type { VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import { delay, type Clock } from '@calls/foundation/clock';

export const LINE_RATE_HZ = 16_000;
const SAMPLES_PER_MS = LINE_RATE_HZ / 1000;
/** The samples of word 0; those of word n are higher by n. */
const BASE_LEVEL = 2000;
/** Number of words that audio can distinguish; no call has as many. */
const MAX_WORDS = 30_000;
/** Speech of a brisk talker: about 16 characters per second. */
const SPOKEN_MS_PER_CHAR = 60;
const MIN_WORD_MS = 160;
/** Only one of this many samples is read. */
const LOOK_SAMPLES = 64;
/** Sample rate of the agent's audio: the lowest that calls support, because nothing listens to it. */
export const AGENT_RATE_HZ = 8000;
/** Silence of up to two seconds. Shared, because no receiver modifies its audio. */
export const SILENCE = new Int16Array(LINE_RATE_HZ * 2);
/** Sound of the agent, below the level of words. */
const AGENT_SOUND = new Int16Array(AGENT_RATE_HZ * 2).fill(BASE_LEVEL / 2);

/**
 * Speech of text mode: audio that carries exact words. All samples of a word are its number, so that the conversation's own
 * turn-taking works on it and `speechToText` returns precisely the words whose audio it got.
 */
export class SpokenWords {
  readonly #words: string[] = [];

  /** Audio of the words of a line, one piece per word. */
  speak(line: string): Int16Array[] {
    return line.split(/\s+/u).flatMap((word) => {
      if (word === '') return [];
      if (this.#words.length >= MAX_WORDS)
        throw new Error(`a simulated caller cannot say more than ${MAX_WORDS} words`);
      const level = BASE_LEVEL + this.#words.length;
      this.#words.push(word);
      const durationMs = Math.max(MIN_WORD_MS, (word.length + 1) * SPOKEN_MS_PER_CHAR);
      return [new Int16Array(durationMs * SAMPLES_PER_MS).fill(level)];
    });
  }

  /** Returns the words of the pushed audio after `delayMs`. Words of earlier utterances, in the pre-roll, do not count. */
  speechToText(clock: Clock, delayMs: number): SpeechToText {
    let newest = -1;
    return {
      open: (_options, signal) => {
        const before = newest;
        const numbers = new Set<number>();
        return {
          push: (samples) => {
            for (let i = 0; i < samples.length; i += LOOK_SAMPLES) {
              const word = (samples[i] ?? 0) - BASE_LEVEL;
              if (word > before) numbers.add(word);
              newest = Math.max(newest, word);
            }
          },
          finalize: async (): Promise<Transcript> => {
            const text = [...numbers].map((word) => this.#words[word] ?? '').join(' ');
            await delay(clock, delayMs, signal);
            return { text };
          },
          interims: noInterims(),
          close: () => undefined,
        };
      },
    };
  }
}

/** Detects words without delay. */
export const wordActivity: VoiceActivityEngine = {
  createDetector: () => ({
    push: (window) => Promise.resolve(hasWord(window) ? 0.95 : 0.01),
    reset: () => undefined,
    close: () => undefined,
  }),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};

function hasWord(window: Int16Array): boolean {
  for (let i = 0; i < window.length; i += LOOK_SAMPLES) if ((window[i] ?? 0) >= BASE_LEVEL) return true;
  return false;
}

/** Sound without words, as long as the text takes to say, `delayMs` after each sentence. */
export function textModeVoice(clock: Clock, delayMs: number): TextToSpeech {
  return {
    async *synthesize(sentences, _options, signal): AsyncGenerator<SpeechChunk> {
      for await (const text of sentences) {
        await delay(clock, delayMs, signal);
        yield { type: 'sentence', text };
        const samples = (text.length * SPOKEN_MS_PER_CHAR * AGENT_RATE_HZ) / 1000;
        for (let at = 0; at < samples; at += AGENT_SOUND.length)
          yield {
            type: 'audio',
            samples: AGENT_SOUND.subarray(0, samples - at),
            sampleRateHz: AGENT_RATE_HZ,
          };
      }
    },
  };
}

export async function* noInterims(): AsyncGenerator<Transcript> {
  // The words are known at the end of the utterance.
}
