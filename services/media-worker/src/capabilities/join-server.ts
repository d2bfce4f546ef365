import { REFUSED_JOIN_REQUEST } from '@calls/api-contract/bus/live-calls';
import type { Holder } from '@calls/bus/leases';
import type { ControlPlaneRequests } from '@calls/bus/request-reply';
import { toError } from '@calls/foundation/errors';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import { createJoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import { createLegTokens } from '@calls/secrets/join-tokens/leg-tokens';
import { createSupervisorTokens } from '@calls/secrets/join-tokens/supervisor-tokens';
import type { OpusCodecs } from '@calls/transports/opus/opus-codecs';
import type { MediaWorkerConfig } from '../config.ts';
import { createClientMedia } from '../join/client-media.ts';
import { countJoins } from '../join/join-outcome.ts';
import { JoinServer } from '../join/join-server.ts';
import { WhipEndpoint } from '../join/whip-endpoint.ts';
import type { PhoneLegs } from '../transfers/phone-legs.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { WebRtcOffer } from './web-rtc.ts';

const REPORT_LIMIT_MS = 5000;

export interface JoinServerOffer {
  joinServer: JoinServer;
  /** This worker, and the URL under which other workers forward joins to it. */
  holder: Holder;
}

/** Listens for joins that other workers forward. The port for clients opens once calls can be found (`startJoins`). */
export function openJoinServer(
  config: Pick<
    MediaWorkerConfig,
    'joinTokenSecrets' | 'trustedProxies' | 'workerId' | 'workerPort' | 'workerUrl'
  >,
  deps: Pick<Infrastructure, 'bus' | 'metrics' | 'clock' | 'log'> &
    Pick<WebRtcOffer, 'webRtc'> & { opus: OpusCodecs; phoneLegs: PhoneLegs },
): Promise<Capability<JoinServerOffer>> {
  const { bus, metrics, webRtc, opus, phoneLegs, clock, log } = deps;
  return startCapability(log, async (components) => {
    const joins = {
      tokens: createJoinTokens(config.joinTokenSecrets),
      onNoCapacity: (callId: string) => reportRejected(bus.requests, callId, log),
      onJoin: countJoins(metrics),
      log,
    };
    const joinServer = components.own(
      'join server',
      new JoinServer({
        ...joins,
        supervisorTokens: createSupervisorTokens(config.joinTokenSecrets),
        legTokens: createLegTokens(config.joinTokenSecrets),
        phoneLegs,
        media: createClientMedia(webRtc, opus, clock),
        whip: new WhipEndpoint({ ...joins, webRtc }),
        trustedProxies: config.trustedProxies,
        clock,
      }),
    );
    const peerPort = await joinServer.listenToPeers(config.workerPort);
    const { workerId, workerUrl } = config;
    return { joinServer, holder: { workerId, url: workerUrl ?? `ws://localhost:${peerPort}` } };
  });
}

/** Reports a rejected client, so that the end reason of the call shows that a client tried to join. */
function reportRejected(requests: Pick<ControlPlaneRequests, 'send'>, callId: string, log: Logger): void {
  requests
    .send(REFUSED_JOIN_REQUEST, { callId }, AbortSignal.timeout(REPORT_LIMIT_MS))
    .catch((thrown: unknown) => {
      log.warn({ callId, err: toError(thrown) }, 'failed to report rejected client');
    });
}
