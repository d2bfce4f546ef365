import { continueCalls } from '../calls/continue-calls.ts';
import type { MediaWorkerConfig } from '../config.ts';
import { CallFinder } from '../join/find-call.ts';
import type { CallsOffer } from './calls.ts';
import type { WorkerLiveness } from '../sip/failover/worker-watch.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { JoinServerOffer } from './join-server.ts';
import type { SipOffer } from './sip.ts';

/**
 * Lets clients join and peers call over SIP, until `draining` is aborted. Connected clients, and joins that other workers
 * forward, are served as long as the join server runs. Resolves with the port for clients.
 */
export function startJoins(
  config: Pick<MediaWorkerConfig, 'mediaPort' | 'mediaPortIsShared'>,
  deps: CallsOffer &
    JoinServerOffer &
    SipOffer &
    Pick<Infrastructure, 'bus' | 'clock'> & { draining: AbortSignal },
): Promise<number> {
  const { bus, calls, host, joinServer, holder, sip, draining, clock } = deps;
  const { workerId } = holder;
  const livenessOf = (other: string): WorkerLiveness => sip?.failover.livenessOf(other) ?? 'unknown';
  const finder = new CallFinder({ bus, workerId, calls, host, livenessOf, clock });
  sip?.failover.onLost((lost) => joinServer.workerLost(lost));
  sip?.setHost(host);
  const isJoined = (callId: string): boolean => calls.get(callId)?.isJoined === true;
  const handovers = continueCalls({ bus, workerId, host, isJoined, clock });
  draining.addEventListener('abort', () => {
    handovers[Symbol.dispose]();
    sip?.setHost(null);
    joinServer.stopListening();
  });
  return joinServer.listenToClients(finder, { port: config.mediaPort, isShared: config.mediaPortIsShared });
}
