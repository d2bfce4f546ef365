import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { startMetricsServer } from '@calls/telemetry/metrics-server';
import type { Slots } from '../admission/slots.ts';
import { Announcement } from '../announcement.ts';
import type { MediaWorkerConfig } from '../config.ts';
import type { CallsOffer } from './calls.ts';
import type { Engines } from './engines.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { JoinServerOffer } from './join-server.ts';
import type { WebRtcOffer } from './web-rtc.ts';

/**
 * Serves metrics and readiness, and announces this worker in the directory of workers. Both report when `draining` is
 * aborted that the worker takes no new calls.
 */
export function startMonitoring(
  config: Pick<MediaWorkerConfig, 'metricsPort'>,
  deps: Infrastructure &
    Pick<CallsOffer, 'host' | 'calls'> &
    Pick<JoinServerOffer, 'holder'> &
    Pick<Engines, 'providers'> &
    Pick<WebRtcOffer, 'webRtcFault'> & { slots: Slots; draining: AbortSignal },
): Promise<Capability<{ metricsPort: number }>> {
  const { bus, metrics, host, calls, holder, slots, providers, webRtcFault, draining, clock, log } = deps;
  const { workers } = bus;
  return startCapability(log, async (components) => {
    const server = components.own(
      'metrics server',
      await startMetricsServer({
        port: config.metricsPort,
        metrics,
        checks: {
          nats: () => bus.streams.check(),
          clock: () => bus.clock.check(),
          admission: () => (draining.aborted ? Promise.reject(new Error('draining')) : Promise.resolve()),
        },
      }),
    );
    const announcement = components.own(
      'announcement',
      await Announcement.start({ holder, workers, host, calls, slots, providers, webRtcFault, clock, log }),
    );
    draining.addEventListener('abort', () => announcement.drain());
    return { metricsPort: server.port };
  });
}
