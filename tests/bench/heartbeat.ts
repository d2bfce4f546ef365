const BEAT_MS = 4;

/** Drives all calls of the load generator on a fixed schedule. `lagMs` is the lateness of the load generator itself. */
export class Heartbeat {
  readonly lagMs: number[] = [];
  readonly #pump: (nowMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #nextMs = performance.now();

  constructor(pump: (nowMs: number) => void) {
    this.#pump = pump;
    this.#schedule();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    this.#nextMs = Math.max(this.#nextMs + BEAT_MS, performance.now());
    this.#timer = setTimeout(
      () => {
        const nowMs = performance.now();
        this.lagMs.push(nowMs - this.#nextMs);
        this.#pump(nowMs);
        this.#schedule();
      },
      Math.max(0, this.#nextMs - performance.now()),
    );
  }
}
