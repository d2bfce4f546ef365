import type { WordTiming } from '@calls/conversation/ports/text-to-speech';

/** One after the other; the arrays have one entry for each character. */
export interface TimedCharacters {
  characters: readonly string[];
  startsMs: readonly number[];
  endsMs: readonly number[];
}

/** Collects the timed characters of a sentence, which come in pieces, into words. */
export class CharacterTimings {
  #word: WordTiming | undefined;

  /** The words that these characters completed. */
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

  /** The last word. */
  end(): WordTiming[] {
    const word = this.#word;
    this.#word = undefined;
    return word ? [word] : [];
  }
}
