import { systemClock, type Clock } from '@calls/foundation/clock';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import { createCallAccess } from './capabilities/call-access.ts';
import { startCallCreation } from './capabilities/call-creation.ts';
import { startCallLog } from './capabilities/call-log.ts';
import { startHttpApi, type HttpApi } from './capabilities/http-api.ts';
import { openInfrastructure } from './capabilities/infrastructure.ts';
import { startLiveCalls } from './capabilities/live-calls.ts';
import { startMonitoring } from './capabilities/monitoring.ts';
import { openOutgoing } from './capabilities/outgoing.ts';
import { startRetrieval } from './capabilities/retrieval.ts';
import { startVoices } from './capabilities/voices.ts';
import type { ControlPlaneConfig } from './config.ts';

export type ControlPlane = Capability<HttpApi & { readonly metricsPort: number }>;

export interface ControlPlaneOverrides {
  clock?: Clock;
}

/**
 * Starts the capabilities of a control-plane, each with the ones that it depends on. They stop in reverse order.
 * Rejects if a dependency is unavailable.
 */
export function createControlPlane(
  config: ControlPlaneConfig,
  log: Logger,
  { clock = systemClock }: ControlPlaneOverrides = {},
): Promise<ControlPlane> {
  return startCapability(log, async (capabilities) => {
    const infrastructure = capabilities.own(
      'infrastructure',
      await openInfrastructure(config, { clock, log }),
    );
    const access = createCallAccess(config);
    const monitoring = capabilities.own('monitoring', await startMonitoring(config, infrastructure));
    const outgoing = capabilities.own('outgoing', await openOutgoing(config, infrastructure));
    const callLog = capabilities.own(
      'call log',
      await startCallLog(config, { ...infrastructure, ...access, ...outgoing }),
    );
    const retrieval = capabilities.own('retrieval', await startRetrieval(config, infrastructure));
    const shared = { ...infrastructure, ...access, ...outgoing, ...retrieval };
    const creation = capabilities.own('call creation', await startCallCreation(config, shared));
    const calls = { ...shared, ...creation };
    capabilities.own('live calls', await startLiveCalls(config, calls));
    const voices = capabilities.own('voices', await startVoices(config, shared));
    const { checks, metricsPort } = monitoring;
    const api = capabilities.own(
      'HTTP API',
      await startHttpApi(config, { ...calls, ...callLog, ...voices, checks }),
    );
    const { port, adminPort, compiled } = api;
    log.info({ port, adminPort, metricsPort }, 'control-plane started');
    return { port, adminPort, metricsPort, compiled };
  });
}
