/** At most `limit` takes in any period of `windowMs` (whole milliseconds, both at least 1). */
export interface Window {
  /** What is counted. Takes of one subject with the same name and length share a count. */
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

/** The state of a window after a decision. */
export interface WindowState extends Window {
  readonly remaining: number;
  /** Time until all permits are free if no more are taken. */
  readonly resetMs: number;
}

export type Decision = Granted | Refused;

export interface Granted {
  readonly granted: true;
  /** In the order of the request. */
  readonly windows: readonly WindowState[];
  /** Releases the permits if the operation that needed them failed. Never rejects; idempotent. */
  release(): Promise<void>;
}

export interface Refused {
  readonly granted: false;
  readonly windows: readonly WindowState[];
  /** The full window that has room last. */
  readonly refusedBy: WindowState;
  /** Time until all windows have room if no more permits are taken. */
  readonly retryAfterMs: number;
}

/** Exact sliding windows: never more than the limit in any period, and no refusal while there is room. */
export interface RateLimits {
  /**
   * Takes one permit in each of the subject's windows, or none. Refused takes do not count. The subject owns
   * the windows (for example an account id); all its windows are in one Redis slot.
   */
  take(subject: string, windows: readonly Window[]): Promise<Decision>;
}

/** The braces make a Redis Cluster keep all windows of a subject in one slot. */
export function windowKey(subject: string, { name, windowMs }: Window): string {
  return `limit:{${subject}}:${name}:${windowMs}`;
}
