/**
 * A trigger that runs `task` once at a time. Triggers during a run lead to one further run with all their inputs.
 * `task` must not reject.
 */
export function coalesce<T>(task: (inputs: ReadonlySet<T>) => Promise<void>): (inputs: Iterable<T>) => void {
  let pending = new Set<T>();
  let isRunning = false;
  const drain = async (): Promise<void> => {
    isRunning = true;
    while (pending.size > 0) {
      const inputs = pending;
      pending = new Set();
      await task(inputs);
    }
    isRunning = false;
  };
  return (inputs) => {
    for (const input of inputs) pending.add(input);
    if (!isRunning) void drain();
  };
}
