import {
  CORPUS_REQUEST,
  DIAL_REQUEST,
  REFUSED_JOIN_REQUEST,
  STAGE_REQUEST,
  type CorpusRequestMessage,
} from '@calls/api-contract/bus/live-calls';
import { SIP_CALLER_REQUEST, SIP_INVITE_REQUEST } from '@calls/api-contract/bus/sip-invites';
import { SIP_REGISTRATIONS_REQUEST } from '@calls/api-contract/bus/sip-registrations';
import {
  PHONE_LEG_END_REQUEST,
  PHONE_LEG_REQUEST,
  TRANSFER_LEG_REQUEST,
} from '@calls/api-contract/bus/transfer-legs';
import { createRegistrationSeal, createStageSeals, createTransferLegSeal } from '@calls/bus/call-seal';
import { makeStage } from '@calls/call-lifecycle/creation/stages/make-stage';
import { AppError } from '@calls/foundation/errors';
import { startCapability, type Capability } from '@calls/foundation/lifecycle';
import { isUuid } from '@calls/foundation/schema/objects';
import { markRefused } from '@calls/store/tables/calls';
import type { ControlPlaneConfig } from '../config.ts';
import { SipInvites } from '../sip/invites.ts';
import { leaseSipRegistrations } from '../sip/registration-leases.ts';
import { transferLeg } from '../sip/transfer-leg.ts';
import { Dialler } from '../telephony/dialling/dialler.ts';
import { dialPhoneLeg } from '../telephony/dialling/phone-legs.ts';
import { hangUpPhoneCall } from '../telephony/dialling/place-phone-call.ts';
import type { CallAccess } from './call-access.ts';
import type { CallCreation } from './call-creation.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Outgoing } from './outgoing.ts';
import type { Retrieval } from './retrieval.ts';

/** Responds to requests of media-workers about their calls. */
export function startLiveCalls(
  config: Pick<
    ControlPlaneConfig,
    'joinTokenSecrets' | 'models' | 'voiceAliases' | 'telephonyUrls' | 'sipDomain' | 'hasSipTls'
  >,
  deps: Infrastructure & CallAccess & Outgoing & Retrieval & CallCreation,
): Promise<Capability<object>> {
  const { db, bus, clock, log } = deps;
  const { models, voiceAliases, telephonyUrls, sipDomain, hasSipTls } = config;
  const legSeal = createTransferLegSeal(config.joinTokenSecrets);
  const { requestSeal, replySealFor } = createStageSeals(config.joinTokenSecrets);
  const dialling = { ...deps, outbound: deps.providersOutbound, telephonyUrls };
  const dialler = new Dialler(dialling);
  const sipInvites = new SipInvites({ ...deps, sipDomain });
  const registrations = { ...deps, registrationSeal: createRegistrationSeal(config.joinTokenSecrets) };
  const staging = { ...deps, models, voiceAliases };
  return startCapability(log, (components) => {
    components.own(
      'corpora of live calls',
      bus.requests.respond(CORPUS_REQUEST, async (request: CorpusRequestMessage) => {
        const { corpusId } = request;
        const passages = isUuid(corpusId) ? await deps.knowledge.query(request) : undefined;
        if (!passages) throw new AppError('no_such_corpus', `the account has no corpus ${corpusId}`);
        return passages;
      }),
    );
    components.own(
      'stages of live calls',
      bus.requests.respond(STAGE_REQUEST, async (sealed) => {
        const request = requestSeal.open(sealed);
        return replySealFor(request).seal(await makeStage(staging, request));
      }),
    );
    components.own(
      'refused joins',
      bus.requests.respond(REFUSED_JOIN_REQUEST, async ({ callId }) => {
        await markRefused(db, callId, new Date(clock.wallMs()));
        return {};
      }),
    );
    components.own(
      'dialling',
      bus.requests.respond(DIAL_REQUEST, ({ callId }) => dialler.dial(callId)),
    );
    components.own(
      'transfers of live calls',
      bus.requests.respond(TRANSFER_LEG_REQUEST, async (request) =>
        legSeal(request.legId).seal(await transferLeg({ ...deps, hasSipTls }, request)),
      ),
    );
    components.own(
      'phones of transfers',
      bus.requests.respond(PHONE_LEG_REQUEST, (request) => dialPhoneLeg(dialling, request)),
    );
    components.own(
      'ends of phones of transfers',
      bus.requests.respond(PHONE_LEG_END_REQUEST, async (leg) => {
        await hangUpPhoneCall(dialling, leg);
        return {};
      }),
    );
    components.own(
      'SIP invitations',
      bus.requests.respond(SIP_INVITE_REQUEST, (invite) => sipInvites.answer(invite)),
    );
    components.own(
      'SIP callers',
      bus.requests.respond(SIP_CALLER_REQUEST, (caller) => sipInvites.admit(caller)),
    );
    components.own(
      'SIP registrations',
      bus.requests.respond(SIP_REGISTRATIONS_REQUEST, (request) =>
        leaseSipRegistrations(registrations, request),
      ),
    );
    return {};
  });
}
