const MAX_LINE_CHARACTERS = 64 * 1024;

/** Makes whole lines of a stream of text; a line without end is handed on in pieces of 64 Ki characters. */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line);
    if (this.#rest.length > MAX_LINE_CHARACTERS) this.end();
  }

  /** Hands on what has no newline yet. */
  end(): void {
    if (this.#rest !== '') this.#onLine(this.#rest);
    this.#rest = '';
  }
}
