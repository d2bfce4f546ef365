/** A mark goes out after this much audio, and with the first of what follows a silence. */
const MARK_EVERY_MS = 200;
/** A mark may be this much later than the one before it, and says nothing new: networks aren't even. */
const STEADY_MS = 40;
/** A mark that is not back by then says that the other end is stuck ... */
const OVERDUE_MS = 100;
/** ... and after this, that it is lost. */
const LOST_MS = 3000;
const MAX_OUTSTANDING = 64;

interface Mark {
  name: string;
  /** When the audio before the mark will have been played, unless the other end is late. */
  dueMs: number;
}

/**
 * Delay of the peer's playout, measured by marks that it returns once it has played the audio before them. The way
 * there and back doesn't count: what is cleared has been played that much further when it learns of it. Pure: time comes with
 * each call. An end that sends none back is never late.
 */
export class PlayedMarks {
  readonly #outstanding: Mark[] = [];
  #named = 0;
  /** When all written audio will have been played, unless the other end is late. */
  #endMs = -Infinity;
  #unmarkedMs = Infinity;
  /** The shortest that a mark took from being due to being back: what the way takes. */
  #wayMs = Infinity;
  #lateMs = 0;
  /** The least that the end was late since the last silence; what it is late after the next one, too. */
  #leastLateMs = Infinity;

  /** Name of a mark that is to be sent while nothing is playing: it is back as soon as the way lets it. */
  begin(nowMs: number): string {
    return this.#mark(nowMs);
  }

  /** Adds `durationMs` of audio after the audio written before. */
  wrote(durationMs: number, nowMs: number): void {
    if (this.#endMs < nowMs) this.#restart(nowMs);
    this.#endMs += durationMs;
    this.#unmarkedMs += durationMs;
  }

  /** All but the last `unsentMs` of what was written has been sent. The name of the mark that is to follow it, null: none. */
  sent(unsentMs: number): string | null {
    return this.#unmarkedMs - unsentMs < MARK_EVERY_MS ? null : this.#mark(this.#endMs - unsentMs, unsentMs);
  }

  /** Delay until audio written now is played. */
  startsInMs(nowMs: number): number {
    return Math.max(0, this.#endMs - nowMs);
  }

  /** A mark is back. One that is unknown, or from before a `cleared`, says nothing. */
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
