/** Cuts the bytes of an answer into its lines. Throws a RangeError once an unfinished line has grown too long. */
export class LineReader {
  readonly #decoder = new TextDecoder();
  readonly #maxLineCharacters: number;
  #rest = '';

  constructor(maxLineCharacters: number) {
    this.#maxLineCharacters = maxLineCharacters;
  }

  /** The lines that these bytes completed, without the empty ones. */
  push(bytes: Uint8Array): string[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (!text.includes('\n')) {
      this.#rest += text;
      if (this.#rest.length > this.#maxLineCharacters)
        throw new RangeError(`a line of more than ${this.#maxLineCharacters} characters`);
      return [];
    }
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.filter((line) => line.trim() !== '');
  }

  /** The last line, where the answer ended without the break that closes it. */
  end(): string[] {
    const line = this.#rest + this.#decoder.decode();
    this.#rest = '';
    return line.trim() === '' ? [] : [line];
  }
}
