const WINDOW_MS = 10_000;
/** Maximum events of one type per window. Only calls with a misbehaving client reach it. */
const MAX_PER_WINDOW = 50;

interface Window {
  startMs: number;
  taken: number;
  omitted: number;
}

/** Limits the call events of each type, because a client can trigger any number of them. */
export class EventRateLimit {
  readonly #windows = new Map<string, Window>();

  /**
   * Null if the event must be omitted; otherwise the number of events of its type omitted since the last one.
   */
  take(eventType: string, nowMs: number): number | null {
    const last = this.#windows.get(eventType);
    const current = last && nowMs - last.startMs < WINDOW_MS;
    if (current && last.taken >= MAX_PER_WINDOW) {
      last.omitted += 1;
      return null;
    }
    const startMs = current ? last.startMs : nowMs;
    this.#windows.set(eventType, { startMs, taken: (current ? last.taken : 0) + 1, omitted: 0 });
    return last?.omitted ?? 0;
  }
}
