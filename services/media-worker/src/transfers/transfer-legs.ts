import {
  TRANSFER_LEG_REQUEST,
  type TransferLegReplyMessage,
  type TransferLegRequestMessage,
} from '@calls/api-contract/bus/transfer-legs';
import type { CallSpec } from '@calls/api-contract/call-spec';
import type { Seal } from '@calls/bus/call-seal';
import type { ControlPlaneRequests } from '@calls/bus/request-reply';
import type { LegOutcome, TransferLegRequest, TransferLegs } from '@calls/conversation/ports/transfer-legs';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import { TELEPHONY_PROVIDERS, type TelephonyProvider } from '@calls/providers/telephony/telephony-vendors';
import { repeatWhileBusy } from '../dialling/repeat-while-busy.ts';
import type { PersonCall } from '../sip/outgoing/person-call.ts';
import { transferUri } from '../sip/sip-address.ts';
import type { SipService } from '../sip/sip-service.ts';
import { credentialsFor } from '../sip/leg/established-call.ts';
import type { PhoneLegs } from './phone-legs.ts';

export interface TransferLegsDeps {
  requests: Pick<ControlPlaneRequests, 'send'>;
  sealOf: (legId: string) => Seal<TransferLegReplyMessage>;
  /** Null if this worker has no SIP. */
  sip: Pick<SipService, 'callPerson'> | null;
  phones: Pick<PhoneLegs, 'dial'>;
  clock: Clock;
  log: Logger;
}

type Addresses = Omit<PersonCall, 'accountId' | 'callId' | 'legId' | 'log' | 'ringLimitMs'>;

const NO_SIP = 'The person could not be called: this worker has no SIP.';
const NOT_ASKED = 'The person could not be called: no control-plane responded.';
const NO_ADDRESS =
  'The person could not be called: a phone number needs trunk_id or provider, and a SIP URI trunk_id or from.';
const NO_NUMBER = 'The person could not be called: telephony providers call phone numbers, not SIP URIs.';

/** Calls people through a telephony provider or by SIP: through a trunk, or as the party of the user's SIP call. */
export function createTransferLegs(deps: TransferLegsDeps): TransferLegs {
  const { requests, sealOf, sip, phones, clock, log } = deps;
  return {
    async dial(request, signal) {
      const provider = providerOf(request);
      if (provider && isSipUri(request.target)) return refused(NO_NUMBER);
      if (provider) return phones.dial(request, provider, signal);
      const { call, legId, target, trunkId, from, ringLimitMs } = request;
      const { accountId, callId } = call;
      if (!sip) return refused(NO_SIP);
      const message: TransferLegRequestMessage = { accountId, callId, legId, target, trunkId, from };
      const send = (): Promise<TransferLegReplyMessage> =>
        requests.send(TRANSFER_LEG_REQUEST, message, signal);
      const reply = await repeatWhileBusy(send, { clock, signal, limitMs: ringLimitMs })
        .then((sealed) => sealOf(legId).open(sealed))
        .catch((thrown: unknown) => {
          if (!signal.aborted)
            log.error({ callId, err: toError(thrown) }, 'failed to look up transfer target');
          return null;
        });
      if (!reply) return refused(NOT_ASKED);
      if (reply.kind === 'refused') return refused(reply.detail);
      const addresses = reply.kind === 'trunk' ? throughTrunk(reply) : withoutTrunk(request, call);
      if (!addresses) return refused(NO_ADDRESS);
      return sip.callPerson({ ...addresses, accountId, callId, legId, ringLimitMs, log }, signal);
    },
  };
}

/** Returns null if the person is called by SIP. */
function providerOf({ provider, trunkId, target, call }: TransferLegRequest): TelephonyProvider | null {
  if (provider !== null) return provider;
  if (trunkId !== null || isSipUri(target)) return null;
  return TELEPHONY_PROVIDERS.find((each) => each === call.medium.kind) ?? null;
}

function isSipUri(target: string): boolean {
  return /^sips?:/iu.test(target);
}

function refused(detail: string): LegOutcome {
  return { kind: 'failed', failure: 'refused', detail };
}

function throughTrunk({
  to,
  from,
  username,
  password,
  outboundProxy,
  codecs,
}: TransferLegReplyMessage & { kind: 'trunk' }): Addresses {
  const credentials = username === null || password === null ? null : { username, password };
  return { to, from, credentials, outboundProxy, codecs };
}

/** Null if the user's call has no SIP party to call as. */
function withoutTrunk({ target, from }: TransferLegRequest, { medium }: CallSpec): Addresses | null {
  if (medium.kind === 'sip') {
    const to = transferUri(target, medium);
    if (!isSipUri(to)) return null;
    const own = medium.direction === 'outgoing' ? medium.from : medium.to;
    const { outboundProxy, codecs, mediaEncryption } = medium;
    const credentials = credentialsFor(to, medium);
    return { to, from: from ?? own, credentials, outboundProxy, codecs, mediaEncryption };
  }
  if (from === null || !isSipUri(target)) return null;
  return { to: target, from, credentials: null };
}
