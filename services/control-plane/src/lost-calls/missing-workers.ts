/**
 * Determines which workers have been missing long enough to count as lost. The caller passes times, in
 * milliseconds.
 */
export class MissingWorkers {
  readonly #graceMs: number;
  readonly #since = new Map<string, number>();

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  /** `holders`: workers that hold calls; `live`: registered workers. Returns the holders that are lost. */
  look(holders: readonly string[], live: ReadonlySet<string>, nowMs: number): string[] {
    const missing = new Set(holders.filter((workerId) => !live.has(workerId)));
    for (const workerId of this.#since.keys()) if (!missing.has(workerId)) this.#since.delete(workerId);
    for (const workerId of missing) if (!this.#since.has(workerId)) this.#since.set(workerId, nowMs);
    return [...this.#since].filter(([, sinceMs]) => nowMs - sinceMs >= this.#graceMs).map(([id]) => id);
  }

  /** Discards all observations. */
  forget(): void {
    this.#since.clear();
  }
}
