import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import { openInfrastructure } from './capabilities/infrastructure.ts';
import { startJobs } from './capabilities/jobs.ts';
import { startMonitoring } from './capabilities/monitoring.ts';
import { startScheduledCalls } from './capabilities/scheduled-calls.ts';
import { startTestRuns } from './capabilities/test-runs.ts';
import { startMaintenance } from './capabilities/maintenance.ts';
import type { DispatcherConfig } from './config.ts';

export type Dispatcher = Capability<{ readonly metricsPort: number }>;

/**
 * Starts the capabilities of a dispatcher, each with the ones that it depends on. They stop in reverse order. Rejects
 * if a dependency is unavailable.
 */
export function createDispatcher(config: DispatcherConfig, log: Logger): Promise<Dispatcher> {
  return startCapability(log, async (capabilities) => {
    const infrastructure = capabilities.own('infrastructure', await openInfrastructure(config, log));
    const { port: metricsPort } = capabilities.own(
      'monitoring',
      await startMonitoring(config, infrastructure),
    );
    const { receivers } = capabilities.own('jobs', await startJobs(config, infrastructure));
    capabilities.own('maintenance', await startMaintenance(config, { ...infrastructure, receivers }));
    capabilities.own('scheduled calls', startScheduledCalls(config, infrastructure));
    capabilities.own('test runs', await startTestRuns(config, infrastructure));
    log.info({ metricsPort }, 'dispatcher started');
    return { metricsPort };
  });
}
