import { createDialogSeal, createRegistrationSeal } from '@calls/bus/call-seal';
import { toError } from '@calls/foundation/errors';
import { startCapability, UnusableVariableError, type Capability } from '@calls/foundation/lifecycle';
import { createAddressGuard } from '@calls/outbound-http/address-guard';
import { SipTlsFileError } from '@calls/sip/endpoint-options';
import { openSipEndpoint } from '@calls/sip/endpoint/open-sip-endpoint';
import type { OpusThread } from '@calls/transports/opus/opus-thread';
import type { RtpThread } from '@calls/transports/rtp-thread/rtp-thread';
import type { Slots } from '../admission/slots.ts';
import type { MediaWorkerConfig } from '../config.ts';
import { createSipMeter, observeSipCalls, observeSipRegistrations } from '../sip/sip-metrics.ts';
import { SipService } from '../sip/sip-service.ts';
import type { Infrastructure } from './infrastructure.ts';

/** SIP of this worker. Null if it failed to start: other workers take the SIP calls. */
export interface SipOffer {
  sip: SipService | null;
}

const TLS_FILE_VARIABLES = {
  certificateFile: 'SIP_TLS_CERTIFICATE_FILE',
  keyFile: 'SIP_TLS_KEY_FILE',
  caFile: 'SIP_TLS_CA_FILE',
} as const;

/** Rejects if the files for TLS cannot be used. */
export function startSip(
  config: Pick<MediaWorkerConfig, 'workerId' | 'joinTokenSecrets' | 'sip' | 'providers'>,
  deps: Omit<Infrastructure, 'tracing' | 'outbound'> & { opus: OpusThread; rtp: RtpThread; slots: Slots },
): Promise<Capability<SipOffer>> {
  const { bus, names, opus, rtp, slots, storage, metrics, clock, log } = deps;
  return startCapability(log, async (components) => {
    const guard = createAddressGuard(config.providers.outbound.allowPrivateNetworks);
    components.own('ping thread', await bus.heartbeats.startThread(config.workerId));
    const started = SipService.start({
      workerId: config.workerId,
      registrationSeal: createRegistrationSeal(config.joinTokenSecrets),
      dialogSeal: createDialogSeal(config.joinTokenSecrets),
      bus,
      config: config.sip,
      rtp,
      opus,
      names,
      mayReach: (address) => guard.refusalOf(address) === null,
      openEndpoint: openSipEndpoint,
      requests: bus.requests,
      slots,
      storage,
      meter: createSipMeter(metrics),
      clock,
      log,
    });
    const sip = await started.catch((thrown: unknown) => {
      if (thrown instanceof SipTlsFileError)
        throw new UnusableVariableError(TLS_FILE_VARIABLES[thrown.file], thrown);
      const { port } = config.sip;
      log.error(
        { port, err: toError(thrown) },
        'SIP disabled on this worker; check SIP_PORT, SIP_ADDRESS and SIP_TLS',
      );
      return null;
    });
    observeSipCalls(metrics, () => sip?.size ?? 0);
    observeSipRegistrations(metrics, () => sip?.registrations ?? { registered: 0, failed: 0 });
    rtp.onPaused = async () => sip?.checkLeases();
    if (sip) components.own('SIP', sip);
    return { sip };
  });
}
