import { withTimeout } from '@calls/foundation/clock';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { startMetricsServer, type ReadinessCheck } from '@calls/telemetry/metrics-server';
import type { ControlPlaneConfig } from '../config.ts';
import type { Infrastructure } from './infrastructure.ts';

/** Shorter than the time limit of a readiness check. */
const STORAGE_LIMIT_MS = 1500;

export interface Monitoring {
  readonly metricsPort: number;
  /** Readiness checks by dependency. */
  checks: Record<string, ReadinessCheck>;
}

/** Serves metrics and readiness. */
export function startMonitoring(
  config: Pick<ControlPlaneConfig, 'metricsPort'>,
  { store, bus, rateLimits, storage, metrics, clock, log }: Infrastructure,
): Promise<Capability<Monitoring>> {
  return startCapability(log, async (components) => {
    const checks: Record<string, ReadinessCheck> = {
      database: () => store.ping(),
      bus: () => bus.streams.check(),
      clock: () => bus.clock.check(),
      rateLimits: () => (rateLimits.degraded ? 'degraded' : 'ok'),
      // Not a reason to be unready: most of the API works without object storage.
      objectStorage: () =>
        withTimeout(clock, storage.check(), STORAGE_LIMIT_MS, 'check of the object storage').then(
          () => 'ok',
          () => 'degraded',
        ),
    };
    metrics.gauge({
      name: 'rate_limits_degraded',
      help: '1 while Redis is unavailable and each process counts request rates on its own',
      collect: () => Number(rateLimits.degraded),
    });
    const server = components.own(
      'metrics server',
      await startMetricsServer({ port: config.metricsPort, metrics, checks }),
    );
    return { metricsPort: server.port, checks };
  });
}
