import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@calls/foundation/logger';
import { openStore } from '@calls/store/store';
import { createMetrics } from '@calls/telemetry/metrics';
import { liveMetrics } from './live-metrics.ts';

describe('liveMetrics', () => {
  it('reports what waits on the bus while the database is unavailable', async () => {
    // No program listens on port 1.
    const url = 'postgres://calls@127.0.0.1:1/calls';
    await using store = openStore({ url, name: 'test', poolSize: 1, log: silentLogger });
    const metrics = createMetrics({ service: 'test' });
    const refresh = liveMetrics(metrics, {
      db: store.db,
      bus: {
        connection: { connected: true },
        createdCalls: { waiting: () => Promise.resolve({ priority: 1, standard: 2, lowest_cost: 3 }) },
        callLogs: { unhandled: () => Promise.resolve(4321) },
      },
      eventConsumer: 'test',
    });
    await expect(refresh()).rejects.toMatchObject({ code: 'store_unavailable' });
    const text = await metrics.registry.metrics();
    expect(text).toMatch(/^calls_events_pending\{.*\} 4321$/mu);
    expect(text).toMatch(/^calls_waiting\{class="standard",.*\} 2$/mu);
  });
});
