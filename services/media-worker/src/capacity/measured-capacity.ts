import type { VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import type { Logger } from '@calls/foundation/logger';
import { capacityOf, costOfCall, type Medium } from './capacity.ts';
import { readMachine } from './machine.ts';
import { measureCost } from './measure-cost.ts';

export interface CapacityQuestion {
  voiceActivity: VoiceActivityEngine;
  /** The most expensive medium of calls. */
  medium: Medium;
  /** Number of workers that share this machine. */
  workers: number;
  log: Logger;
}

/** Measures how many calls one worker can serve. */
export async function measureCapacity(question: CapacityQuestion): Promise<number> {
  const { voiceActivity, medium, workers, log } = question;
  const startMs = performance.now();
  const measured = await measureCost(voiceActivity);
  const machine = readMachine();
  const { calls, boundBy } = capacityOf(costOfCall(measured, medium), { ...machine, workers });
  log.info(
    {
      capacity: calls,
      boundBy,
      medium,
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
