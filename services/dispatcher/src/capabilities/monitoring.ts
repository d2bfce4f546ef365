import type { Capability } from '@calls/foundation/lifecycle';
import { startMetricsServer } from '@calls/telemetry/metrics-server';
import type { DispatcherConfig } from '../config.ts';
import type { Infrastructure } from './infrastructure.ts';

/** Serves metrics and readiness. */
export function startMonitoring(
  { metricsPort: port }: Pick<DispatcherConfig, 'metricsPort'>,
  { store, queue, metrics }: Infrastructure,
): Promise<Capability<{ readonly port: number }>> {
  return startMetricsServer({
    port,
    metrics,
    checks: { database: () => store.ping(), queue: () => queue.ping() },
  });
}
