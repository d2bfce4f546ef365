import type { AdmissionClass } from '@calls/api-contract';

/** Shares of the capacity up to which each class of calls is taken (architecture.md, Admission). */
export interface AdmissionThresholds {
  standard: number;
  lowestCost: number;
}

export const DEFAULT_THRESHOLDS: AdmissionThresholds = { standard: 0.9, lowestCost: 0.6 };

/** The slots of this worker. Reserving is one step: two pulls can't share the last one. */
export class Slots {
  readonly capacity: number;
  readonly #limits: Record<AdmissionClass, number>;
  readonly #waiting = new Set<() => void>();
  #used = 0;

  constructor(capacity: number, thresholds: AdmissionThresholds = DEFAULT_THRESHOLDS) {
    this.capacity = capacity;
    this.#limits = {
      priority: capacity,
      // At least one slot each, or a small worker would never take them.
      standard: Math.max(1, Math.floor(capacity * thresholds.standard)),
      lowest_cost: Math.max(1, Math.floor(capacity * thresholds.lowestCost)),
    };
  }

  get used(): number {
    return this.#used;
  }

  hasRoom(admissionClass: AdmissionClass): boolean {
    return this.#used < this.#limits[admissionClass];
  }

  tryReserve(admissionClass: AdmissionClass): boolean {
    if (!this.hasRoom(admissionClass)) return false;
    this.#used += 1;
    return true;
  }

  release(): void {
    if (this.#used === 0) throw new Error('a slot was released that nobody held');
    this.#used -= 1;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Resolves when a slot is released or `signal` aborts. */
  released(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
