import type { VoiceActivityEngine } from '@calls/engine-ports/voice-activity-detector';
import type { Logger } from '@calls/foundation/logger';
import { capacityOf, costOfCall, type CallCost, type Medium } from './capacity.ts';
import { readMachine } from './machine.ts';
import { measureCost } from './measure-cost.ts';

export interface CapacityOptions {
  voiceActivity: VoiceActivityEngine;
  /** The most expensive medium of calls. */
  medium: Medium;
  /** Number of workers that share this machine. */
  workers: number;
  log: Logger;
}

/** Measures what a call costs on this machine, and how many calls one worker can serve. */
export async function measureCapacity(options: CapacityOptions): Promise<{ calls: number; cost: CallCost }> {
  const { voiceActivity, medium, workers, log } = options;
  const startMs = performance.now();
  const measured = await measureCost(voiceActivity);
  const machine = readMachine();
  const cost = costOfCall(measured, medium);
  const { calls, limitedBy } = capacityOf(cost, { ...machine, workers });
  log.info(
    {
      capacity: calls,
      limitedBy,
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
  return { calls, cost };
}
