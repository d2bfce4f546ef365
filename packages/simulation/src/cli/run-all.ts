import type { ScenarioResult } from '../run-scenario.ts';

/**
 * Runs the scenarios, at most `parallel` at a time. Results have the order of the scenarios, and `onResult` is called
 * in it.
 */
export async function runAll<T>(
  scenarios: readonly T[],
  parallel: number,
  run: (scenario: T) => Promise<ScenarioResult>,
  onResult: (result: ScenarioResult) => void,
): Promise<ScenarioResult[]> {
  const results: ScenarioResult[] = [];
  const early = new Map<number, ScenarioResult>();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < scenarios.length; index = next++) {
      const scenario = scenarios[index];
      if (scenario === undefined) return;
      early.set(index, await run(scenario));
      for (let result = early.get(results.length); result; result = early.get(results.length)) {
        early.delete(results.length);
        results.push(result);
        onResult(result);
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return results;
}
