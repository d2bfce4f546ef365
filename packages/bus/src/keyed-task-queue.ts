/**
 * Runs tasks with the same key one after another, for at most `concurrency` keys at a time. The caller bounds the
 * number of tasks.
 */
export class KeyedTaskQueue {
  readonly #concurrency: number;
  readonly #chains = new Map<string, (() => Promise<void>)[]>();
  readonly #ready: string[] = [];
  #running = 0;
  #idleWaiters: (() => void)[] = [];

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  /** Number of waiting and running tasks. */
  get size(): number {
    let size = 0;
    for (const chain of this.#chains.values()) size += chain.length;
    return size;
  }

  /** `task` must not reject. */
  add(key: string, task: () => Promise<void>): void {
    const chain = this.#chains.get(key);
    if (chain) {
      chain.push(task);
      return;
    }
    this.#chains.set(key, [task]);
    this.#ready.push(key);
    this.#startNext();
  }

  /** Resolves when no task waits or runs. */
  idle(): Promise<void> {
    if (this.#chains.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  #startNext(): void {
    while (this.#running < this.#concurrency) {
      const key = this.#ready.shift();
      if (key === undefined) return;
      this.#running += 1;
      void this.#runFirst(key);
    }
  }

  async #runFirst(key: string): Promise<void> {
    const chain = this.#chains.get(key) ?? [];
    try {
      await chain[0]?.();
    } finally {
      chain.shift();
      this.#running -= 1;
      // The rest of the chain queues behind other keys, so that one busy call does not delay the others.
      if (chain.length > 0) this.#ready.push(key);
      else this.#chains.delete(key);
      this.#startNext();
      if (this.#chains.size === 0) for (const wake of this.#idleWaiters.splice(0)) wake();
    }
  }
}
