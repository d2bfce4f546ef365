import { join } from 'node:path';
import { toError } from '@calls/foundation/errors';
import { REPOSITORY } from '@calls/local-stack/stack';
import type { ServiceName } from '@calls/local-stack/stack-size';
import { serviceOf } from '../../chaos/faults.ts';
import type { DrillMedium } from '../callers/drill-caller.ts';
import { DrillCalls, type DrillResult, type DrillSystem } from '../drill-calls.ts';
import type { DrillOptions } from '../drill-options.ts';
import { startDrillStack } from '../drill-stack.ts';
import { earlierRelease } from './earlier-release.ts';
import { StoredData } from './stored-data.ts';

/** The order of docs/guides/upgrade.md, after prepare-database. */
const ORDER: readonly ServiceName[] = ['control-plane', 'dispatcher', 'media-worker'];

/** The rows contain the calls that continue from before the upgrade until after it. */
export interface UpgradeResult extends DrillResult {
  /** Number of calls that started and ended between the steps. */
  callsBetween: number;
}

/**
 * Upgrades an earlier release with stored data and live calls, process by process in the documented order. After each
 * step, live calls must continue and a new call over each medium must work.
 */
export async function runUpgrade(
  options: Pick<DrillOptions, 'calls' | 'media' | 'size' | 'dataDir' | 'from'>,
  say: (line: string) => void,
): Promise<UpgradeResult> {
  say('preparing the earlier release');
  const release = await earlierRelease(options.from);
  const upgraded = new Set<string>();
  const moduleFile = (module: string): string =>
    join(upgraded.has(module) ? REPOSITORY : release.folder, module);
  say(`starting ${release.name}`);
  await using drill = await startDrillStack({ ...options, kind: 'upgrade' }, { moduleFile });
  const { stack } = drill;
  await using data = await StoredData.create(stack);
  await using calls = await DrillCalls.open(drill);
  const problems: string[] = [];
  let callsBetween = 0;
  const callBetween = async (): Promise<void> => {
    const { rows, problems: more } = await passingCalls(drill, options.media, say);
    problems.push(...more);
    callsBetween += options.media.length;
    for (const { medium, endedEarly } of rows)
      if (endedEarly > 0) problems.push(`a new ${medium} call ended early`);
  };
  const restartAll = async (service: ServiceName): Promise<void> => {
    for (const [name, process] of stack.processes) {
      if (serviceOf(name) !== service) continue;
      if (service === 'media-worker') await calls.speak();
      await process.restart();
      await calls.continued();
      await callBetween();
      say(`${name} is the new release; ${calls.summary}`);
    }
    await calls.respond(`the new part is ${service}`);
  };

  const { rows, problems: failures } = await calls.measure(say, async () => {
    await calls.place(options.calls, options.media);
    say(`${release.name} runs; ${calls.summary}`);
    upgraded.add('services/control-plane/src/prepare-database.ts');
    say(`prepare-database of the new release: ${await stack.prepareDatabase()}`);
    await callBetween();
    for (const service of ORDER) {
      upgraded.add(`services/${service}/src/main.ts`);
      await restartAll(service);
    }
    problems.push(...(await data.problems()));
  });
  problems.push(...failures);
  try {
    await data.delivered(calls.callIds);
  } catch (thrown) {
    problems.push(toError(thrown).message);
  }
  return { rows, callsBetween, problems };
}

/** Runs a call over each medium that receives the agent's audio, asks a question and hangs up. */
async function passingCalls(
  drill: DrillSystem,
  media: readonly DrillMedium[],
  say: (line: string) => void,
): Promise<DrillResult> {
  await using calls = await DrillCalls.open(drill);
  return await calls.measure(say, async () => {
    await calls.place(media.length, media);
    await calls.respond('is this a new call');
  });
}
