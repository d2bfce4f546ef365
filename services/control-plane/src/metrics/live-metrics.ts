import { ADMISSION_CLASSES } from '@calls/api-contract/bus/created-call';
import type { CallLogs } from '@calls/bus/call-log';
import type { ConnectionStatus } from '@calls/bus/connection';
import type { CreatedCallQueue } from '@calls/bus/created-calls';
import type { Database } from '@calls/store/store';
import { countLiveCalls } from '@calls/store/tables/calls';
import type { Metrics } from '@calls/telemetry/metrics';

export interface LiveMetricsDeps {
  db: Database;
  bus: {
    connection: Pick<ConnectionStatus, 'connected'>;
    createdCalls: Pick<CreatedCallQueue, 'waiting'>;
    callLogs: Pick<CallLogs, 'unhandled'>;
  };
  eventConsumer: string;
}

/** State of the whole system; every control-plane reports the same values. Returns a function that refreshes them. */
export function liveMetrics(
  metrics: Metrics,
  { db, bus, eventConsumer }: LiveMetricsDeps,
): () => Promise<void> {
  const live = metrics.gauge({
    name: 'live',
    help: 'Live calls of the whole installation (use max): `created` or `joined`',
    labels: ['state'],
  });
  const waiting = metrics.gauge({
    name: 'waiting',
    help: 'Calls of the whole installation (use max) that no worker has admitted',
    labels: ['class'],
  });
  const pending = metrics.gauge({
    name: 'events_pending',
    help: 'Call log entries of the whole installation (use max) that are not yet in the database',
  });
  const refreshRows = async (): Promise<void> => {
    const { created, joined } = await countLiveCalls(db);
    live.set({ state: 'created' }, created);
    live.set({ state: 'joined' }, joined);
  };
  const refreshQueues = async (): Promise<void> => {
    if (!bus.connection.connected) return;
    const [untaken, unhandled] = await Promise.all([
      bus.createdCalls.waiting(),
      bus.callLogs.unhandled(eventConsumer),
    ]);
    for (const name of ADMISSION_CLASSES) waiting.set({ class: name }, untaken[name]);
    pending.set(unhandled);
  };
  // Entries wait on the bus while the database is unavailable.
  return async () => {
    await Promise.all([refreshRows(), refreshQueues()]);
  };
}
