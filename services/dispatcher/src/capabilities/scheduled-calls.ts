import { AgentCallCreator } from '@calls/call-lifecycle/creation/agent-call-creator';
import { CallCreator, type CallPublisher } from '@calls/call-lifecycle/creation/call-creator';
import { createCallNotifications } from '@calls/call-lifecycle/notifications/call-notifications';
import { createCallView } from '@calls/call-lifecycle/notifications/views';
import { startPeriodicTask } from '@calls/foundation/periodic-task';
import { modelNames } from '@calls/providers/config/catalogue';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { createChecksOf } from '@calls/untrusted-work/untrusted-checks';
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
  config: Pick<
    DispatcherConfig,
    'mediaPublicUrl' | 'joinTokenSecrets' | 'voiceAliases' | 'planLimits' | 'hasSipTls'
  >,
  deps: Infrastructure,
): AsyncDisposable {
  const { db, secretBox, rateLimits, untrustedWork, clock, log } = deps;
  const { mediaPublicUrl, voiceAliases, planLimits, hasSipTls } = config;
  const tokens = createJoinTokens(config.joinTokenSecrets);
  const callView = createCallView({ mediaPublicUrl, tokens, secretBox });
  const calls = new CallCreator({
    ...deps,
    models: modelNames,
    voiceAliases,
    planLimits,
    hasSipTls,
    notifications: createCallNotifications({ secretBox, callView }),
    // The dispatcher does not track media workers; a call waits for a worker that supports WebRTC.
    webRtcFault: () => Promise.resolve(null),
    publisher: relayed,
    checksOf: createChecksOf(untrustedWork),
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
