const MAX_LINE_CHARACTERS = 64 * 1024;

/** Splits text into lines. Longer lines are split into parts of 64 Ki characters. */
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

  /** Passes on the rest without a newline. */
  end(): void {
    if (this.#rest !== '') this.#onLine(this.#rest);
    this.#rest = '';
  }
}

const MAX_LINES = 15;

/** The last output lines of a process, for error messages. */
export class RecentLines {
  readonly #lines: string[] = [];
  readonly #format: (line: string) => string;
  readonly #splitter = new LineSplitter((line) => {
    this.#lines.push(line);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  });

  constructor(format: (line: string) => string = (line) => line) {
    this.#format = format;
  }

  push(chunk: Buffer): void {
    this.#splitter.push(chunk);
  }

  indented(): string {
    this.#splitter.end();
    return this.#lines.length === 0
      ? '  (nothing)'
      : this.#lines.map((line) => this.#format(line).replaceAll(/^/gm, '  ')).join('\n');
  }
}
