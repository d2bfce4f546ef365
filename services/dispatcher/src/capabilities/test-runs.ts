import { createMcpToolLists } from '@calls/call-lifecycle/creation/tools/mcp-tool-lists';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { silentLogger } from '@calls/foundation/logger';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import { textMode } from '@calls/simulation/call/modes';
import { openEngines } from '@calls/simulation/engines';
import type { DispatcherConfig } from '../config.ts';
import { runTestRuns } from '../test-runs/run-test-runs.ts';
import type { Infrastructure } from './infrastructure.ts';

const INTERVAL_MS = 500;

/** Tests agents with simulated callers. */
export function startTestRuns(
  config: Pick<DispatcherConfig, 'providers'>,
  { db, secretBox, outbound, checksOf, clock, log }: Infrastructure,
): Promise<Capability<object>> {
  return startCapability(log, (components) => {
    const engines = components.own('simulation engines', openEngines(config.providers, { clock, log }));
    const scenarios = {
      mode: textMode,
      languageModel: engines.languageModel,
      callerModel: engines.callerModel,
      urls: outbound,
      mcpTools: createMcpToolLists({ db, secretBox, outbound, checksOf, clock }),
      checksOf,
      // Operators do not need the messages of simulated calls.
      log: silentLogger,
    };
    components.own(
      'test runs',
      startPeriodicTask({
        name: 'test runs',
        intervalMs: INTERVAL_MS,
        clock,
        log,
        run: (signal) => runTestRuns({ db, secretBox, scenarios, clock, log }, signal),
      }),
    );
    return {};
  });
}
