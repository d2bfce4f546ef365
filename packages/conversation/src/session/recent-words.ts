/** More than is said between a word and its echo. */
const KEPT_CHARS = 240;

/** The last that somebody has said. */
export class RecentWords {
  #text = '';

  add(text: string): void {
    this.#text = (this.#text + text).slice(-KEPT_CHARS);
  }

  get text(): string {
    return this.#text;
  }
}
