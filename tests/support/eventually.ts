const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 100;

/**
 * Repeats `check` until it passes; rejects with its last failure after `limitMs`. For effects in other processes, which it
 * leaves alone for a tenth of the time that it has waited already.
 */
export async function eventually<T>(check: () => T | Promise<T>, limitMs = 120_000): Promise<T> {
  const startMs = performance.now();
  for (;;) {
    try {
      return await check();
    } catch (thrown) {
      const waitedMs = performance.now() - startMs;
      if (waitedMs > limitMs) throw thrown;
      const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, waitedMs / 10));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
