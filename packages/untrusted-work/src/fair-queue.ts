/**
 * Items by owner, taken from each owner in turn. Bounded in all and for each owner; what is too many is rejected: `push`
 * returns false.
 */
export class FairQueue<T> {
  readonly #limits: { total: number; perOwner: number };
  readonly #byOwner = new Map<string, T[]>();
  #size = 0;

  constructor(limits: { total: number; perOwner: number }) {
    this.#limits = limits;
  }

  push(owner: string, item: T): boolean {
    const items = this.#byOwner.get(owner) ?? [];
    if (this.#size >= this.#limits.total || items.length >= this.#limits.perOwner) return false;
    items.push(item);
    this.#byOwner.set(owner, items);
    this.#size += 1;
    return true;
  }

  /** The first item of the owner whose turn it is, among those that `may` have one taken. */
  take(may: (owner: string) => boolean): { owner: string; item: T } | null {
    for (const [owner, items] of this.#byOwner) {
      if (!may(owner)) continue;
      const [item, ...rest] = items;
      this.#byOwner.delete(owner);
      if (rest.length > 0) this.#byOwner.set(owner, rest);
      this.#size -= 1;
      return { owner, item: item as T };
    }
    return null;
  }

  drain(): T[] {
    const items = [...this.#byOwner.values()].flat();
    this.#byOwner.clear();
    this.#size = 0;
    return items;
  }
}
