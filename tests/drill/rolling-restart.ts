import type { SupervisedProcess } from '@calls/local-stack/process/supervised-process';
import { serviceOf } from '../chaos/faults.ts';
import { DrillCalls, type DrillResult, type DrillSystem } from './drill-calls.ts';
import type { DrillOptions } from './drill-options.ts';

/**
 * Restarts the processes of the services one after the other, under calls of several media. All agents speak when a
 * media worker stops. After each round, every agent must respond to a question.
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
        await calls.audible();
        say(`round ${round}: restarted ${name}; ${calls.summary}`);
      }
      await calls.respond(`this is question number ${round}`);
    }
  });
}

/**
 * Goes from one media worker to all of them and back to one, under calls of several media. Half of the calls begin at
 * the first worker, the others when all workers run.
 */
export async function runScale(
  system: DrillSystem,
  { rounds, calls: count, media }: Pick<DrillOptions, 'calls' | 'media' | 'rounds'>,
  say: (line: string) => void,
): Promise<DrillResult> {
  const added = [...system.stack.processes.values()].filter(isAddedWorker);
  await Promise.all(added.map((worker) => worker.stop()));
  await using calls = await DrillCalls.open(system);
  return await calls.measure(say, async () => {
    await calls.place(Math.ceil(count / 2), media);
    for (let round = 1; round <= rounds; round += 1) {
      await Promise.all(added.map((worker) => worker.start()));
      if (round === 1) await calls.place(Math.floor(count / 2), media);
      say(`round ${round}: ${added.length + 1} media workers; ${calls.summary}`);
      for (const worker of added) {
        await calls.speak();
        await worker.stop();
        await calls.audible();
      }
      say(`round ${round}: 1 media worker; ${calls.summary}`);
      await calls.respond(`this is question number ${round}`);
    }
  });
}

function isAddedWorker({ name }: Pick<SupervisedProcess, 'name'>): boolean {
  return serviceOf(name) === 'media-worker' && name !== 'media-worker';
}
