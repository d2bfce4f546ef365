/** Splits a response into lines. Throws a RangeError if an incomplete line is too long. */
export class LineReader {
  readonly #decoder = new TextDecoder();
  readonly #maxLineCharacters: number;
  #rest = '';

  constructor(maxLineCharacters: number) {
    this.#maxLineCharacters = maxLineCharacters;
  }

  /** Adds bytes and returns the non-empty lines that they complete. */
  push(bytes: Uint8Array): string[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (!text.includes('\n')) {
      this.#rest += text;
      if (this.#rest.length > this.#maxLineCharacters)
        throw new RangeError(`line longer than ${this.#maxLineCharacters} characters`);
      return [];
    }
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '');
  }

  /** The last line, if the response ended without a line break. */
  end(): string[] {
    const line = this.#rest + this.#decoder.decode();
    this.#rest = '';
    return line.trim() === '' ? [] : [line];
  }
}
