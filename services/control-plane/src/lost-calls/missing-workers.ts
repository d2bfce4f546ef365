/** Tells which workers have been missing long enough to be taken for gone. Times are the caller's, in milliseconds. */
export class MissingWorkers {
  readonly #graceMs: number;
  readonly #since = new Map<string, number>();

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  /** `holders`: whose calls there are; `live`: who is there. Those of the holders that are gone. */
  look(holders: readonly string[], live: ReadonlySet<string>, nowMs: number): string[] {
    const missing = new Set(holders.filter((workerId) => !live.has(workerId)));
    for (const workerId of this.#since.keys()) if (!missing.has(workerId)) this.#since.delete(workerId);
    for (const workerId of missing) if (!this.#since.has(workerId)) this.#since.set(workerId, nowMs);
    return [...this.#since].filter(([, sinceMs]) => nowMs - sinceMs >= this.#graceMs).map(([id]) => id);
  }

  /** Nothing is known any more. */
  forget(): void {
    this.#since.clear();
  }
}
