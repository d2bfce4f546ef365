const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 100;

/**
 * Repeats `check` until it passes; rejects with the last failure after `limitMs`. The pause between checks is a tenth
 * of the time waited so far, so that other processes are not slowed down.
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
