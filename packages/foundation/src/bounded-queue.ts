/** What a full queue does with the next item. */
export type OverflowPolicy = 'drop-oldest' | 'drop-newest' | 'reject';

/** Thrown by `push` on a full queue whose policy is `reject`. */
export class QueueFullError extends Error {
  constructor(capacity: number) {
    super(`queue is full (${capacity} items)`);
    this.name = 'QueueFullError';
  }
}

/**
 * A queue with a capacity, one consumer, and a stated overflow policy. `close` lets the consumer drain what is
 * queued and then ends the iteration; `push` after `close` is ignored. Iterating twice shares the items.
 */
export class BoundedQueue<T> implements AsyncIterable<T> {
  readonly capacity: number;
  readonly policy: OverflowPolicy;
  #items: T[] = [];
  #head = 0;
  #waiting: ((result: IteratorResult<T, undefined>) => void) | undefined;
  #closed = false;
  #dropped = 0;

  constructor(capacity: number, policy: OverflowPolicy) {
    this.capacity = capacity;
    this.policy = policy;
  }

  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Whether the consumer has handled every item and waits for the next. */
  get isIdle(): boolean {
    return this.#waiting !== undefined;
  }

  /** How many items the overflow policy has dropped so far. */
  get dropped(): number {
    return this.#dropped;
  }

  /** True if the item was queued. */
  push(item: T): boolean {
    if (this.#closed) return false;
    if (this.#waiting) {
      const deliver = this.#waiting;
      this.#waiting = undefined;
      deliver({ value: item, done: false });
      return true;
    }
    if (this.size >= this.capacity) {
      if (this.policy === 'reject') throw new QueueFullError(this.capacity);
      this.#dropped += 1;
      if (this.policy === 'drop-newest') return false;
      this.#shift();
    }
    this.#items.push(item);
    return true;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#waiting?.({ value: undefined, done: true });
    this.#waiting = undefined;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.size > 0) return Promise.resolve({ value: this.#shift(), done: false });
    if (this.#closed) return Promise.resolve({ value: undefined, done: true });
    if (this.#waiting) return Promise.reject(new Error('a BoundedQueue has one consumer'));
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return {
      next: () => this.next(),
      return: () => {
        this.close();
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }

  #shift(): T {
    const item = this.#items[this.#head] as T;
    this.#items[this.#head] = undefined as T;
    this.#head += 1;
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
