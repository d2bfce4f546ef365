import type { AdmissionClass } from '@calls/api-contract/bus/created-call';

/** Maximum use of the capacity by each class of calls, in percent. */
export interface AdmissionThresholds {
  standardPercent: number;
  lowestCostPercent: number;
}

export const DEFAULT_THRESHOLDS: AdmissionThresholds = { standardPercent: 90, lowestCostPercent: 60 };

/**
 * Calls that were joined on another worker may use this many times the capacity: a late frame is better than a lost
 * call.
 */
const MAX_USE_BY_JOINED = 2;

/** The slots of this worker. Reservation is atomic. */
export class Slots {
  readonly capacity: number;
  readonly #thresholds: AdmissionThresholds;
  #limits: Record<AdmissionClass, number>;
  #usable: number;
  readonly #onRoom = new Set<() => void>();
  #used = 0;
  #paused = false;

  constructor(capacity: number, thresholds: AdmissionThresholds = DEFAULT_THRESHOLDS) {
    this.capacity = capacity;
    this.#thresholds = thresholds;
    this.#usable = capacity;
    this.#limits = limitsOf(capacity, thresholds);
  }

  /** The part of the capacity that the worker has processor time for. Calls beyond it continue. */
  get usable(): number {
    return this.#usable;
  }

  set usable(slots: number) {
    const hasGrown = slots > this.#usable;
    this.#usable = slots;
    this.#limits = limitsOf(slots, this.#thresholds);
    if (hasGrown) this.#notifyRoom();
  }

  get used(): number {
    return this.#used;
  }

  /** While paused, only priority calls get free slots. */
  get isPaused(): boolean {
    return this.#paused;
  }

  set isPaused(paused: boolean) {
    this.#paused = paused;
    if (!paused) this.#notifyRoom();
  }

  hasRoom(admissionClass: AdmissionClass): boolean {
    if (this.#paused && admissionClass !== 'priority') return false;
    return this.#used < this.#limits[admissionClass];
  }

  tryReserve(admissionClass: AdmissionClass): boolean {
    if (!this.hasRoom(admissionClass)) return false;
    this.#used += 1;
    return true;
  }

  /** Reserves a slot for a joined call of another worker. It may exceed the capacity. */
  tryReserveJoined(): boolean {
    if (this.#used >= this.capacity * MAX_USE_BY_JOINED) return false;
    this.#used += 1;
    return true;
  }

  release(): void {
    if (this.#used === 0) throw new Error('released a slot that was not in use');
    this.#used -= 1;
    this.#notifyRoom();
  }

  /** Calls `listener` whenever there may be more free slots, until disposed. */
  onRoom(listener: () => void): Disposable {
    this.#onRoom.add(listener);
    return { [Symbol.dispose]: () => this.#onRoom.delete(listener) };
  }

  #notifyRoom(): void {
    for (const listener of this.#onRoom) listener();
  }
}

function limitsOf(slots: number, thresholds: AdmissionThresholds): Record<AdmissionClass, number> {
  // At least one slot per class, so that small workers accept all classes.
  const limit = (percent: number): number => Math.max(1, Math.floor((slots * percent) / 100));
  return {
    priority: slots,
    standard: limit(thresholds.standardPercent),
    lowest_cost: limit(thresholds.lowestCostPercent),
  };
}
