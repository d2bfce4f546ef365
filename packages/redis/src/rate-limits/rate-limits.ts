/** At most `limit` takes in any stretch of `windowMs` (whole milliseconds, both at least 1). */
export interface Window {
  /** What is counted. Takes of one subject under the same name and length are counted together. */
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

/** How a window stands after a take was decided. */
export interface WindowState extends Window {
  readonly remaining: number;
  /** Until every place is free, where nobody takes another. */
  readonly resetMs: number;
}

export type Decision = Granted | Refused;

export interface Granted {
  readonly granted: true;
  /** In the order of the request. */
  readonly windows: readonly WindowState[];
  /** Gives the places back, where what they were taken for failed. Never rejects; only the first of several has an effect. */
  release(): Promise<void>;
}

export interface Refused {
  readonly granted: false;
  readonly windows: readonly WindowState[];
  /** Of the full windows the one that has room last. */
  readonly refusedBy: WindowState;
  /** Until all windows have room, where nobody takes it before. */
  readonly retryAfterMs: number;
}

/** Sliding windows, exact: never more than the limit in any stretch of time, and no take refused while there is room. */
export interface RateLimits {
  /**
   * Takes one place in each of the subject's windows, or none in any. What is refused doesn't count. A subject is whose
   * windows they are (an account's id); all it has is kept in one place.
   */
  take(subject: string, windows: readonly Window[]): Promise<Decision>;
}
