import { LineSplitter } from './line-splitter.ts';

const MAX_LINES = 15;

/** The last lines that a process wrote, for the message that says why it failed. */
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
