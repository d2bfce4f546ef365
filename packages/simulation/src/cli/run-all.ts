import type { ScenarioResult } from '../run-scenario.ts';

/** Runs the scenarios, at most `parallel` at a time. Results have the order of the scenarios. */
export async function runAll<T>(
  scenarios: readonly T[],
  parallel: number,
  run: (scenario: T) => Promise<ScenarioResult>,
  onResult: (result: ScenarioResult) => void,
): Promise<ScenarioResult[]> {
  const results = new Array<ScenarioResult>(scenarios.length);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < scenarios.length; index = next++) {
      const scenario = scenarios[index];
      if (scenario === undefined) return;
      const result = await run(scenario);
      results[index] = result;
      onResult(result);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return results;
}
