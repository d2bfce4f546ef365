import type { WordTiming } from '@calls/engine-ports/text-to-speech';

/** Parallel arrays with one entry per character, in order. */
export interface TimedCharacters {
  characters: readonly string[];
  startsMs: readonly number[];
  endsMs: readonly number[];
}

/** Groups the timed characters of a sentence into words. */
export class CharacterTimings {
  #word: WordTiming | undefined;

  /** Adds characters and returns the words that they complete. */
  push({ characters, startsMs, endsMs }: TimedCharacters): WordTiming[] {
    const words: WordTiming[] = [];
    characters.forEach((character, index) => {
      const startMs = startsMs[index] ?? 0;
      const endMs = endsMs[index] ?? startMs;
      if (character.trim() === '') words.push(...this.end());
      else if (this.#word) this.#word = { ...this.#word, word: this.#word.word + character, endMs };
      else this.#word = { word: character, startMs, endMs };
    });
    return words;
  }

  /** Returns the last word. */
  end(): WordTiming[] {
    const word = this.#word;
    this.#word = undefined;
    return word ? [word] : [];
  }
}
