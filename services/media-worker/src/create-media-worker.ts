import { systemClock } from '@calls/foundation/clock';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import type { Logger } from '@calls/foundation/logger';
import { compileValidators } from '@calls/foundation/schema/compile-validators';
import { OpusThread } from '@calls/transports/opus/opus-thread';
import { RtpThread } from '@calls/transports/rtp-thread/rtp-thread';
import { startAdmission } from './capabilities/admission.ts';
import { createCalls } from './capabilities/calls.ts';
import { startEngines } from './capabilities/engines.ts';
import { openInfrastructure } from './capabilities/infrastructure.ts';
import { openJoinServer } from './capabilities/join-server.ts';
import { startJoins } from './capabilities/joins.ts';
import { startMonitoring } from './capabilities/monitoring.ts';
import { startSip } from './capabilities/sip.ts';
import { openSlots } from './capabilities/slots.ts';
import { startWebRtc } from './capabilities/web-rtc.ts';
import type { MediaWorkerConfig } from './config.ts';
import { countDials } from './dialling/dialling.ts';
import { BackgroundWork } from './tools/background-work.ts';
import { PhoneLegs } from './transfers/phone-legs.ts';

export type MediaWorker = Capability<{
  readonly mediaPort: number;
  readonly metricsPort: number;
}>;

/** Starts the capabilities of a media-worker, each with the ones that it depends on. They stop in reverse order. */
export function createMediaWorker(config: MediaWorkerConfig, log: Logger): Promise<MediaWorker> {
  return startCapability(log, async (capabilities) => {
    // A first use would block the event loop for up to 50 ms, which is audible in other calls.
    const compiled = compileValidators(systemClock);
    const infrastructure = capabilities.own('infrastructure', await openInfrastructure(config, log));
    const engines = capabilities.own('engines', await startEngines(config, infrastructure));
    const { slots, load } = capabilities.own(
      'slots',
      await openSlots(config, { ...infrastructure, ...engines }),
    );
    const opus = capabilities.own('Opus', await OpusThread.start(infrastructure));
    const rtp = capabilities.own('RTP', await RtpThread.start(infrastructure));
    const webRtc = capabilities.own('WebRTC', await startWebRtc(config, { ...infrastructure, opus, rtp }));
    const sip = capabilities.own('SIP', await startSip(config, { ...infrastructure, opus, rtp, slots }));
    const onDialled = countDials(infrastructure.metrics);
    const phoneLegs = new PhoneLegs({ ...infrastructure, opus, onDialled });
    const joinServer = capabilities.own(
      'join server',
      await openJoinServer(config, { ...infrastructure, ...webRtc, opus, phoneLegs }),
    );
    const media = { ...infrastructure, ...webRtc, ...sip, ...joinServer, slots, load };
    const background = capabilities.own('background work', new BackgroundWork(infrastructure));
    const calls = createCalls(config, { ...media, ...engines, phoneLegs, background, onDialled });

    await compiled;
    const draining = new AbortController();
    const serving = { ...media, ...engines, ...calls, draining: draining.signal };
    const mediaPort = await startJoins(config, serving);
    const { metricsPort } = capabilities.own('monitoring', await startMonitoring(config, serving));
    capabilities.own('admission', await startAdmission(config, serving), config.drainLimitMs);
    // Stopped first: the worker takes no new calls while the others stop.
    capabilities.add('readiness', () => draining.abort());
    log.info({ workerId: config.workerId, capacity: slots.capacity }, 'media-worker accepts calls');
    return { mediaPort, metricsPort };
  });
}
