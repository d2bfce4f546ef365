import type { CallerEvents } from './caller-medium.ts';

/** A longer time without audible audio is the end of a response. */
const PAUSE_MS = 500;

/** Derives the agent's state from its audio, for media without messages. */
export class AgentActivity implements Disposable {
  readonly #events: Pick<CallerEvents, 'onAgentState'>;
  #audibleMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(events: Pick<CallerEvents, 'onAgentState'>) {
    this.#events = events;
  }

  /** Whether audible audio has arrived in the last PAUSE_MS. Silence in between belongs to the response. */
  get isSpeaking(): boolean {
    return this.#timer !== undefined;
  }

  audible(): void {
    this.#audibleMs = performance.now();
    if (this.#timer !== undefined) return;
    this.#events.onAgentState(true);
    this.#wait(PAUSE_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #wait(forMs: number): void {
    this.#timer = setTimeout(() => {
      const leftMs = this.#audibleMs + PAUSE_MS - performance.now();
      if (leftMs > 0) {
        this.#wait(leftMs);
        return;
      }
      this.#timer = undefined;
      this.#events.onAgentState(false);
    }, forMs);
  }
}
