import { ADMISSION_CLASSES } from '@calls/api-contract/bus/created-call';
import type { Bus } from '@calls/bus/bus';
import type { Database } from '@calls/store/store';
import { countLiveCalls } from '@calls/store/tables/calls';
import type { Metrics } from '@calls/telemetry/metrics';

/** State of the whole system; every control-plane reports the same values. Returns a function that refreshes them. */
export function liveMetrics(
  metrics: Metrics,
  {
    db,
    bus,
    eventConsumer,
  }: { db: Database; bus: Pick<Bus, 'connection' | 'createdCalls' | 'callLogs'>; eventConsumer: string },
): () => Promise<void> {
  const live = metrics.gauge({
    name: 'live',
    help: 'Live calls of the installation (use max): `created` or `joined`',
    labels: ['state'],
  });
  const waiting = metrics.gauge({
    name: 'waiting',
    help: 'Calls of the installation (use max) that no worker has admitted',
    labels: ['class'],
  });
  const pending = metrics.gauge({
    name: 'events_pending',
    help: 'Call log entries of the installation (use max) not yet in the database',
  });
  return async () => {
    const { created, joined } = await countLiveCalls(db);
    live.set({ state: 'created' }, created);
    live.set({ state: 'joined' }, joined);
    if (!bus.connection.connected) return;
    const [untaken, unhandled] = await Promise.all([
      bus.createdCalls.waiting(),
      bus.callLogs.unhandled(eventConsumer),
    ]);
    for (const name of ADMISSION_CLASSES) waiting.set({ class: name }, untaken[name]);
    pending.set(unhandled);
  };
}
