/** A mark is sent after this much audio, and with the first audio after silence. */
const MARK_EVERY_MS = 200;
/** Marks may be delayed by this much more than the one before, because of network jitter. */
const STEADY_MS = 40;
/** If a mark is overdue by this time, the peer's playout has stalled. */
const OVERDUE_MS = 100;
/** After this time, the mark is lost. */
const LOST_MS = 3000;
const MAX_OUTSTANDING = 64;

interface Mark {
  name: string;
  /** When the audio before the mark will have been played if the peer plays without delay. */
  dueMs: number;
}

/**
 * Measures the delay of the peer's playout from marks that it returns after it has played the audio before them. The
 * round trip time is not included: when the peer receives a clear, it has played that much more. Pure: the caller
 * passes the time. A peer that returns no marks counts as never late.
 */
export class PlayedMarks {
  readonly #outstanding: Mark[] = [];
  #named = 0;
  /** When all written audio will have been played if the peer plays without delay. */
  #endMs = -Infinity;
  #unmarkedMs = Infinity;
  /** Shortest time from a mark's due time to its return: the round trip time. */
  #wayMs = Infinity;
  #lateMs = 0;
  /** Smallest lateness since the last silence. It also applies after the next one. */
  #leastLateMs = Infinity;

  /**
   * Returns the name of a mark to send during silence. The peer returns it immediately, so it measures the round trip
   * time.
   */
  begin(nowMs: number): string {
    return this.#mark(nowMs);
  }

  /** Adds `durationMs` of audio after the audio written before. */
  wrote(durationMs: number, nowMs: number): void {
    if (this.#endMs < nowMs) this.#restart(nowMs);
    this.#endMs += durationMs;
    this.#unmarkedMs += durationMs;
  }

  /** All written audio except the last `unsentMs` has been sent. Returns the name of the mark to send next, or null. */
  sent(unsentMs: number): string | null {
    return this.#unmarkedMs - unsentMs < MARK_EVERY_MS ? null : this.#mark(this.#endMs - unsentMs, unsentMs);
  }

  /** Delay until audio written now is played. */
  startsInMs(nowMs: number): number {
    return Math.max(0, this.#endMs - nowMs);
  }

  /** A mark was returned. Unknown marks, and marks from before `cleared`, are ignored. */
  played(name: string, nowMs: number): void {
    const index = this.#outstanding.findIndex((mark) => mark.name === name);
    const mark = this.#outstanding[index];
    if (!mark) return;
    this.#outstanding.splice(0, index + 1);
    const tookMs = Math.max(0, nowMs - mark.dueMs);
    this.#wayMs = Math.min(this.#wayMs, tookMs);
    const lateMs = tookMs - this.#wayMs;
    this.#leastLateMs = Math.min(this.#leastLateMs, lateMs);
    if (Math.abs(lateMs - this.#lateMs) > STEADY_MS) this.#lateMs = lateMs;
  }

  /** All unplayed audio has been dropped. */
  cleared(nowMs: number): void {
    this.#outstanding.length = 0;
    this.#restart(Math.min(this.#endMs, nowMs));
  }

  lateMs(nowMs: number): number {
    const oldest = this.#outstanding[0];
    if (!oldest || this.#wayMs === Infinity) return this.#lateMs;
    const overdueMs = nowMs - oldest.dueMs - this.#wayMs;
    return overdueMs > LOST_MS ? this.#lateMs : Math.max(this.#lateMs, overdueMs - OVERDUE_MS);
  }

  #restart(endMs: number): void {
    this.#endMs = endMs;
    this.#unmarkedMs = Infinity;
    if (this.#leastLateMs !== Infinity) this.#lateMs = this.#leastLateMs;
    this.#leastLateMs = Infinity;
  }

  #mark(dueMs: number, unmarkedMs = 0): string {
    this.#unmarkedMs = unmarkedMs;
    this.#named += 1;
    const name = String(this.#named);
    this.#outstanding.push({ name, dueMs });
    if (this.#outstanding.length > MAX_OUTSTANDING) this.#outstanding.shift();
    return name;
  }
}
