const OPEN = '<think>';
const CLOSE = '</think>';

type Part = 'start' | 'thinking' | 'pause' | 'answer';

/**
 * Removes the thinking with which some models begin, `<think>…</think>`. Servers without support for a model's format
 * pass it on as text.
 */
export class ThinkingFilter {
  #part: Part = 'start';
  /** Text that is not assigned to a part yet. */
  #held = '';

  /** Whether thinking has begun and the answer has not. */
  get isThinking(): boolean {
    return this.#part === 'thinking' || this.#part === 'pause';
  }

  /** Returns the text of the answer that this piece completes; may be empty. */
  push(piece: string): string {
    this.#held += piece;
    for (let next = this.#next(); next !== this.#part; next = this.#next()) this.#part = next;
    if (this.#part !== 'answer') return '';
    const answer = this.#held;
    this.#held = '';
    return answer;
  }

  /** Removes from the held text what belongs to the current part, and returns the part of the rest. */
  #next(): Part {
    switch (this.#part) {
      case 'start': {
        const begin = this.#held.trimStart();
        if (!begin.startsWith(OPEN)) return OPEN.startsWith(begin) ? 'start' : 'answer';
        this.#held = begin.slice(OPEN.length);
        return 'thinking';
      }
      case 'thinking': {
        const at = this.#held.indexOf(CLOSE);
        this.#held = this.#held.slice(at === -1 ? 1 - CLOSE.length : at + CLOSE.length);
        return at === -1 ? 'thinking' : 'pause';
      }
      case 'pause':
        this.#held = this.#held.trimStart();
        return this.#held === '' ? 'pause' : 'answer';
      case 'answer':
        return 'answer';
    }
  }
}
