import type { HandoverOutcome, Handovers } from '@calls/bus/handovers';
import type { LeaseStore } from '@calls/bus/leases';
import { delay, type Clock } from '@calls/foundation/clock';
import type { CallHost } from './call-host.ts';

export interface ContinueCallsOptions {
  bus: { handovers: Pick<Handovers, 'serve'>; leases: Pick<LeaseStore, 'find'> };
  workerId: string;
  host: Pick<CallHost, 'prepare' | 'failOver'>;
  /** Whether the client of a call is connected here. */
  isJoined: (callId: string) => boolean;
  clock: Clock;
}

/** How long the next call waits for the client of the previous call to arrive. */
const ARRIVAL_LIMIT_MS = 1000;
const POLL_INTERVAL_MS = 20;

/**
 * Continues calls that other workers hand over to this one, until disposed. One call moves at a time: the start of a
 * conversation needs the processor, and would prolong the silence of the next call.
 */
export function continueCalls({ bus, workerId, host, isJoined, clock }: ContinueCallsOptions): Disposable {
  let previous = Promise.resolve();
  const arrival = async (callId: string): Promise<void> => {
    const limitMs = clock.nowMs() + ARRIVAL_LIMIT_MS;
    while (!isJoined(callId) && clock.nowMs() < limitMs) await delay(clock, POLL_INTERVAL_MS);
  };
  const prepare = async (callId: string, from: string): Promise<HandoverOutcome> => {
    const found = await bus.leases.find(callId);
    if (found?.holder?.workerId !== from) return 'refused';
    return (await host.prepare(found)) ? 'accepted' : 'no_capacity';
  };
  return bus.handovers.serve(workerId, async ({ step, callId, from }) => {
    if (step === 'prepare') {
      const prepared = previous.then(() => prepare(callId, from));
      previous = prepared.then(
        (outcome) => (outcome === 'accepted' ? arrival(callId) : undefined),
        () => undefined,
      );
      return prepared;
    }
    const found = await bus.leases.find(callId);
    if (found?.holder?.workerId !== from) return 'refused';
    const { kind } = await host.failOver(found);
    return kind === 'continued' ? 'accepted' : 'refused';
  });
}
