import type { PhoneLegReplyMessage, PhoneLegRequestMessage } from '@calls/api-contract/bus/transfer-legs';
import { findCall } from '@calls/store/tables/calls';
import { insertTransferLeg } from '@calls/store/tables/transfer-legs';
import type { LegUrlsOf } from '../phone-urls.ts';
import { outgoingLine } from './dialler.ts';
import { placePhoneCall, preparePhoneCall, refused, type PhoneCallDeps } from './place-phone-call.ts';

export interface PhoneLegDeps extends PhoneCallDeps {
  legUrls: LegUrlsOf;
}

/** Calls the person of a warm transfer through a provider, at most once per leg. */
export async function dialPhoneLeg(
  deps: PhoneLegDeps,
  { accountId, callId, legId, provider, target, from, ringLimitMs }: PhoneLegRequestMessage,
): Promise<PhoneLegReplyMessage> {
  const { db, clock, legUrls } = deps;
  const call = await findCall(db, accountId, callId);
  if (!call || call.ended_at) return refused('Call not found, or it has ended.');
  const line = outgoingLine(call.settings.medium);
  const own = line?.provider === provider ? line.outgoing.from : null;
  const caller = from ?? own;
  if (caller === null) return refused(`The tool needs from, a number of the account at ${provider}.`);
  const { answerUrl, statusUrl } = legUrls({ callId, legId, provider });
  const ready = await preparePhoneCall(deps, accountId, provider, {
    ...{ to: target, from: caller, answerUrl, statusUrl, additionalParams: {} },
    ringLimitS: Math.ceil(ringLimitMs / 1000),
  });
  if ('outcome' in ready) return ready;
  const started = new Date(clock.wallMs());
  const leg = { leg_id: legId, call_id: callId, started_at: started, ended_at: null, sip_trunk_id: null };
  if (await insertTransferLeg(db, leg)) return placePhoneCall(deps, ready, { callId, legId });
  return { outcome: 'dialled', providerCallId: null };
}
