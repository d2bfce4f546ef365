import { serviceOf } from '../chaos/faults.ts';
import { DrillCalls, type DrillResult, type DrillSystem } from './drill-calls.ts';
import type { DrillOptions } from './drill-options.ts';

/**
 * Restarts the processes of the services one after the other, during calls over several media. All agents speak when a
 * media-worker stops. After each round, every agent must respond to a question.
 */
export async function runRollingRestart(
  system: DrillSystem,
  { rounds, calls: count, media, services }: Pick<DrillOptions, 'calls' | 'media' | 'rounds' | 'services'>,
  say: (line: string) => void,
): Promise<DrillResult> {
  await using calls = await DrillCalls.open(system);
  return await calls.measure(say, async () => {
    await calls.place(count, media);
    for (let round = 1; round <= rounds; round += 1) {
      for (const [name, process] of system.stack.processes) {
        const service = serviceOf(name);
        if (!services.some((each) => each === service)) continue;
        if (service === 'media-worker') await calls.speak();
        await process.restart();
        await calls.continued();
        say(`round ${round}: restarted ${name}; ${calls.summary}`);
      }
      await calls.respond(`this is question number ${round}`);
    }
  });
}
