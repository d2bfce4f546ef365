import type { Bus } from '@calls/bus/bus';
import { connectBus } from '@calls/bus/connect-bus';
import { systemClock, type Clock } from '@calls/foundation/clock';
import { openConfiguredBy, startCapability, type Capability } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import type { ObjectStorage } from '@calls/object-storage/object-storage';
import { openStorage } from '@calls/object-storage/open-storage';
import { createNameResolver, type NameResolver } from '@calls/outbound-http/name-resolver';
import { createOutboundHttp, type OutboundHttp } from '@calls/outbound-http/outbound-http';
import { createMetrics, type Metrics } from '@calls/telemetry/metrics';
import { createTracing } from '@calls/telemetry/tracing/create-tracing';
import type { Tracing } from '@calls/telemetry/tracing/span';
import type { MediaWorkerConfig } from '../config.ts';

/** What most capabilities of the worker use. */
export interface Infrastructure {
  metrics: Metrics;
  tracing: Tracing;
  bus: Bus;
  names: NameResolver;
  /** Requests to addresses that customers choose. */
  outbound: OutboundHttp;
  storage: ObjectStorage;
  clock: Clock;
  log: Logger;
}

/** Rejects if the bus or the object storage is unavailable. */
export function openInfrastructure(
  config: MediaWorkerConfig,
  log: Logger,
): Promise<Capability<Infrastructure>> {
  return startCapability(log, async (components) => {
    const clock = systemClock;
    const metrics = createMetrics({ service: 'media-worker' });
    const tracing = components.own('tracing', await createTracing(config.tracing, { metrics, log }));
    const { natsUrl: url, natsReplicas: replicas, workerId: name } = config;
    const bus = components.own(
      'bus',
      await openConfiguredBy('NATS_URL', connectBus({ url, name, replicas, log })),
    );
    const names = createNameResolver({ servers: config.providers.outbound.nameServers ?? null, clock });
    const outbound = components.own(
      'outbound connections',
      createOutboundHttp({ ...config.providers.outbound, clock, names }),
    );
    const storage = components.own('object storage', await openStorage(config.objectStorage, clock));
    return { metrics, tracing, bus, names, outbound, storage, clock, log };
  });
}
