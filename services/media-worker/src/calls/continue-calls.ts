import type { Bus } from '@calls/bus/bus';
import type { CallHost } from './call-host.ts';

export interface ContinueCallsOptions {
  bus: Pick<Bus, 'handOvers' | 'leases'>;
  workerId: string;
  host: Pick<CallHost, 'prepare' | 'takeOver'>;
}

/** Continues calls that other workers hand over to this one, until disposed. */
export function continueCalls({ bus, workerId, host }: ContinueCallsOptions): Disposable {
  return bus.handOvers.serve(workerId, async ({ step, callId, from }) => {
    const found = await bus.leases.find(callId);
    if (found?.holder?.workerId !== from) return 'refused';
    if (step === 'prepare') return (await host.prepare(found)) ? 'accepted' : 'no_capacity';
    const { kind } = await host.takeOver(found);
    return kind === 'taken' ? 'accepted' : 'refused';
  });
}
