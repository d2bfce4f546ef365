/** Number of concurrent claims. Each mostly waits for the bus and for a port. */
const CLAIMS = 25;
/** Number of conversations that are rebuilt at the same time. Each needs the processor. */
const CONVERSATIONS = 4;

/**
 * Orders the work of many failovers. Claims come first, because they end the silence at the peer; conversations are
 * rebuilt when no claim runs or waits.
 */
export class FailoverStages {
  readonly #claims: (() => void)[] = [];
  readonly #conversations: (() => void)[] = [];
  #claiming = 0;
  #conversing = 0;

  /** Resolves when a claim may begin. Dispose of the permit when it has ended. */
  claim(): Promise<Disposable> {
    return this.#enter(this.#claims, () => {
      this.#claiming -= 1;
    });
  }

  /** The same for rebuilding a conversation. */
  converse(): Promise<Disposable> {
    return this.#enter(this.#conversations, () => {
      this.#conversing -= 1;
    });
  }

  #enter(queue: (() => void)[], leave: () => void): Promise<Disposable> {
    let isOver = false;
    const permit: Disposable = {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        leave();
        this.#next();
      },
    };
    return new Promise((resolve) => {
      queue.push(() => resolve(permit));
      this.#next();
    });
  }

  #next(): void {
    while (this.#claiming < CLAIMS) {
      const begin = this.#claims.shift();
      if (!begin) break;
      this.#claiming += 1;
      begin();
    }
    while (this.#claiming === 0 && this.#conversing < CONVERSATIONS) {
      const begin = this.#conversations.shift();
      if (!begin) return;
      this.#conversing += 1;
      begin();
    }
  }
}
