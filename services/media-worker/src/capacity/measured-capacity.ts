import type { VoiceActivityEngine } from '@calls/conversation';
import type { Logger } from '@calls/foundation';
import { capacityOf, costOfCall } from './capacity.ts';
import { readMachine } from './machine.ts';
import { measureCost } from './measure-cost.ts';

/** How many calls one of `workers` workers of this machine can hold, as a short measurement has it. */
export async function measureCapacity(
  voiceActivity: VoiceActivityEngine,
  workers: number,
  log: Logger,
): Promise<number> {
  const startMs = performance.now();
  const measured = await measureCost(voiceActivity);
  const machine = readMachine();
  const { calls, boundBy } = capacityOf(costOfCall(measured), { ...machine, workers });
  log.info(
    {
      capacity: calls,
      boundBy,
      frameUs: Math.round(measured.frameUs),
      vadWindowUs: Math.round(measured.windowUs),
      cores: machine.cores,
      availableMb: Math.round(machine.availableBytes / 1024 / 1024),
      workers,
      tookMs: Math.round(performance.now() - startMs),
    },
    'capacity measured',
  );
  return calls;
}
