/** Caches compiled objects by source text. Retains the most recently used ones, bounded by total source length. */
export class CompiledCache<T> {
  readonly #maxCharacters: number;
  readonly #compile: (source: string) => T;
  readonly #compiled = new Map<string, T>();
  #characters = 0;

  constructor(maxCharacters: number, compile: (source: string) => T) {
    this.#maxCharacters = maxCharacters;
    this.#compile = compile;
  }

  /** Throws the errors of `compile`, without caching. */
  get(source: string): T {
    const known = this.#compiled.get(source);
    if (known !== undefined) {
      this.#compiled.delete(source);
      this.#compiled.set(source, known);
      return known;
    }
    const compiled = this.#compile(source);
    this.#compiled.set(source, compiled);
    this.#characters += source.length;
    for (const [oldest] of this.#compiled) {
      if (this.#characters <= this.#maxCharacters) break;
      this.#compiled.delete(oldest);
      this.#characters -= oldest.length;
    }
    return compiled;
  }
}
