import { AgentCallCreator } from '@calls/call-lifecycle/creation/agent-call-creator';
import { CallCreator, type CallPublisher } from '@calls/call-lifecycle/creation/call-creator';
import { createMcpToolLists } from '@calls/call-lifecycle/creation/tools/mcp-tool-lists';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import { modelNames } from '@calls/providers/config/catalogue';
import type { DispatcherConfig } from '../config.ts';
import { runDueBatches } from '../scheduled-batches/run-due-batches.ts';
import { BATCH_LANES, type Infrastructure } from './infrastructure.ts';

const INTERVAL_MS = 250;

/** Leaves created calls to the control-plane's relay. */
const relayed: CallPublisher = {
  isReady: () => Promise.resolve(true),
  relayDelayMs: 0,
  publish: () => Promise.resolve(),
};

/** Creates the calls of scheduled batches. */
export function startScheduledCalls(
  config: Pick<DispatcherConfig, 'voiceAliases' | 'planLimits' | 'hasSipTls'>,
  deps: Infrastructure,
): AsyncDisposable {
  const { db, secretBox, rateLimits, clock, log } = deps;
  const { voiceAliases, planLimits, hasSipTls } = config;
  const calls = new CallCreator({
    ...deps,
    models: modelNames,
    voiceAliases,
    planLimits,
    hasSipTls,
    // The dispatcher does not track media-workers. A call waits for a worker that supports WebRTC.
    webRtcIssue: () => Promise.resolve(null),
    publisher: relayed,
    mcpTools: createMcpToolLists(deps),
  });
  const agentCalls = new AgentCallCreator({ db, secretBox, calls });
  const limitsAreShared = (): boolean => !rateLimits.degraded;
  return startPeriodicTask({
    name: 'scheduled batches',
    intervalMs: INTERVAL_MS,
    clock,
    log,
    run: (signal) => runDueBatches({ db, secretBox, agentCalls, limitsAreShared, log }, BATCH_LANES, signal),
  });
}
