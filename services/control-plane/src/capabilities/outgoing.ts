import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { createOutboundHttp, type OutboundHttp } from '@calls/outbound-http/outbound-http';
import { createChecksOf, createShortWork, type ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import type { ControlPlaneConfig } from '../config.ts';
import { createBulkWork, type BulkWork } from '../untrusted-work/bulk-work.ts';
import type { Infrastructure } from './infrastructure.ts';

/** Requests to other systems, and worker processes for input that customers chose. */
export interface Outgoing {
  /** Requests to addresses that customers choose. */
  outbound: OutboundHttp;
  /** Requests to the telephony providers. The operator configures their addresses, so private networks are allowed. */
  providersOutbound: OutboundHttp;
  checksOf: ChecksOf;
  bulkWork: BulkWork;
}

export function openOutgoing(
  config: Pick<ControlPlaneConfig, 'outbound'>,
  { clock, log }: Pick<Infrastructure, 'clock' | 'log'>,
): Promise<Capability<Outgoing>> {
  return startCapability(log, (components) => {
    const open = (allowPrivateNetworks = config.outbound.allowPrivateNetworks): OutboundHttp =>
      createOutboundHttp({ ...config.outbound, allowPrivateNetworks, clock });
    const outbound = components.own('outbound requests', open());
    const shortWork = components.own('short untrusted work', createShortWork({ log }));
    const bulkWork = components.own('bulk untrusted work', createBulkWork(log));
    const providersOutbound = components.own('requests to telephony providers', open(true));
    return { outbound, providersOutbound, checksOf: createChecksOf(shortWork), bulkWork };
  });
}
