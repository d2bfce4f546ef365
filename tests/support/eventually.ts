/** Repeats `check` until it passes; rejects with its last failure after `limitMs`. For effects in other processes. */
export async function eventually<T>(check: () => T | Promise<T>, limitMs = 20_000): Promise<T> {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    try {
      return await check();
    } catch (thrown) {
      if (performance.now() > untilMs) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}
