/** Limits of waiting items. */
export interface QueueLimits {
  items: { total: number; perOwner: number };
  bytes: { total: number; perOwner: number };
}

interface OwnerItems<T> {
  items: T[];
  bytes: number;
}

type Measure = keyof QueueLimits;

/**
 * Items by owner, taken from each owner in turn. The number of items and their bytes are limited per owner and in
 * total. When the queue is full, the owner that uses most of it loses its newest item.
 */
export class FairQueue<T extends { readonly bytes: number }> {
  readonly #limits: QueueLimits;
  readonly #byOwner = new Map<string, OwnerItems<T>>();

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Returns the dropped items; `item` may be one of them. */
  push(owner: string, item: T): T[] {
    const own = this.#byOwner.get(owner) ?? { items: [], bytes: 0 };
    const { items, bytes } = this.#limits;
    if (own.items.length >= items.perOwner || own.bytes + item.bytes > bytes.perOwner) return [item];
    own.items.push(item);
    own.bytes += item.bytes;
    this.#byOwner.set(owner, own);
    const evicted: T[] = [];
    for (const measure of ['items', 'bytes'] as const) {
      while (this.#total(measure) > this.#limits[measure].total) {
        const largest = this.#largest(measure, owner);
        const newest = this.#byOwner.get(largest)?.items.at(-1);
        if (newest === undefined) break;
        this.remove(largest, newest);
        evicted.push(newest);
      }
    }
    return evicted;
  }

  /** The first item of the next owner, among owners for which `may` returns true. */
  take(may: (owner: string) => boolean): { owner: string; item: T } | null {
    for (const [owner, own] of this.#byOwner) {
      const [item] = own.items;
      if (item === undefined || !may(owner)) continue;
      this.remove(owner, item);
      // Moves the owner to the end of the order.
      if (this.#byOwner.delete(owner) && own.items.length > 0) this.#byOwner.set(owner, own);
      return { owner, item };
    }
    return null;
  }

  /** Returns false if the item is not queued. */
  remove(owner: string, item: T): boolean {
    const own = this.#byOwner.get(owner);
    const index = own?.items.indexOf(item) ?? -1;
    if (!own || index === -1) return false;
    own.items.splice(index, 1);
    own.bytes -= item.bytes;
    if (own.items.length === 0) this.#byOwner.delete(owner);
    return true;
  }

  drain(): T[] {
    const items = [...this.#byOwner.values()].flatMap((own) => own.items);
    this.#byOwner.clear();
    return items;
  }

  #total(measure: Measure): number {
    let total = 0;
    for (const own of this.#byOwner.values()) total += sizeOf(own, measure);
    return total;
  }

  /** The owner that uses most, preferring the newcomer on a tie. */
  #largest(measure: Measure, newcomer: string): string {
    const newcomers = this.#byOwner.get(newcomer);
    let largest = newcomer;
    let most = newcomers ? sizeOf(newcomers, measure) : 0;
    for (const [owner, own] of this.#byOwner) {
      if (sizeOf(own, measure) <= most) continue;
      largest = owner;
      most = sizeOf(own, measure);
    }
    return largest;
  }
}

function sizeOf({ items, bytes }: OwnerItems<unknown>, measure: Measure): number {
  return measure === 'items' ? items.length : bytes;
}
