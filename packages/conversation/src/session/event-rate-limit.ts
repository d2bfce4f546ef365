const WINDOW_MS = 10_000;
/** Of one type in a window: more than a call has that nobody floods. */
const MAX_PER_WINDOW = 50;

interface Window {
  startMs: number;
  taken: number;
  omitted: number;
}

/** Keeps what comes without end (a client may send anything) from filling the events of a call. */
export class EventRateLimit {
  readonly #windows = new Map<string, Window>();

  /** Null where the event is to be left out; else how many of its type were, since the last that was not. */
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
