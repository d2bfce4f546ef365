import { createWebRtcOffer } from '@calls/bus/web-rtc-offer';
import { CallCreator } from '@calls/call-lifecycle/creation/call-creator';
import { createMcpToolLists, type McpToolLists } from '@calls/call-lifecycle/creation/tools/mcp-tool-lists';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import type { ControlPlaneConfig } from '../config.ts';
import { createCallPublisher } from '../outbox/call-publisher.ts';
import { OutboxCleanup } from '../outbox/outbox-cleanup.ts';
import type { CallAccess } from './call-access.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Outgoing } from './outgoing.ts';

export interface CallCreation {
  creator: CallCreator;
  mcpTools: McpToolLists;
}

/** Creates calls: validates, stores and publishes them. */
export function startCallCreation(
  {
    models,
    voiceAliases,
    planLimits,
    hasSipTls,
  }: Pick<ControlPlaneConfig, 'models' | 'voiceAliases' | 'planLimits' | 'hasSipTls'>,
  deps: Infrastructure & CallAccess & Outgoing,
): Promise<Capability<CallCreation>> {
  const { db, bus, rateLimits, callSeal, secretBox, notifications, outbound, checksOf } = deps;
  const { tracing, clock, log } = deps;
  return startCapability(log, (components) => {
    const outboxCleanup = components.own('outbox cleanup', new OutboxCleanup({ db, clock, log }));
    const mcpTools = createMcpToolLists(deps);
    const creator = new CallCreator({
      db,
      clock,
      webRtcIssue: createWebRtcOffer(bus.workers, clock),
      publisher: createCallPublisher({ bus, callSeal, outboxCleanup, tracing, log }),
      models,
      voiceAliases,
      rateLimits,
      planLimits,
      notifications,
      secretBox,
      outbound,
      hasSipTls,
      checksOf,
      mcpTools,
      tracing,
    });
    return { creator, mcpTools };
  });
}
