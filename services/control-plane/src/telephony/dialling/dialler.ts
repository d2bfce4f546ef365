import type { DialReplyMessage } from '@calls/api-contract/bus/live-calls';
import { durationToMs } from '@calls/api-contract/duration';
import type { CallMedium, TelephonyMedium } from '@calls/api-contract/rest/medium';
import { TELEPHONY_PROVIDERS, type TelephonyProvider } from '@calls/providers/telephony/telephony-vendors';
import { findAnyCall, markDialled, setProviderCallId, type CallRow } from '@calls/store/tables/calls';
import type { PhoneUrlsOf } from '../phone-urls.ts';
import {
  hangUpPhoneCall,
  placePhoneCall,
  preparePhoneCall,
  refused,
  type PhoneCallDeps,
  type ReadyPhoneCall,
  type RefusedPhoneCall,
} from './place-phone-call.ts';

export interface DiallerDeps extends PhoneCallDeps {
  phoneUrls: PhoneUrlsOf;
}

type Outgoing = NonNullable<TelephonyMedium['outgoing']>;

/** Requests outbound phone calls from telephony providers. */
export class Dialler {
  readonly #deps: DiallerDeps;

  constructor(deps: DiallerDeps) {
    this.#deps = deps;
  }

  /** Requests the phone call at most once per call, whatever the result. */
  async dial(callId: string): Promise<DialReplyMessage> {
    const { db, clock } = this.#deps;
    const call = await findAnyCall(db, callId);
    if (!call || call.dialled_at || call.ended_at) return answerWithoutDialling(call);
    // Failures of this service come before the mark, so that the request can be repeated.
    const ready = await this.#prepare(call);
    if ('outcome' in ready) return ready;
    if (!(await markDialled(db, callId, new Date(clock.wallMs()))))
      return answerWithoutDialling(await findAnyCall(db, callId));
    const placed = await placePhoneCall(this.#deps, ready, { callId });
    if (placed.outcome === 'refused') return placed;
    if (placed.providerCallId !== null) await this.#storeProviderId(call, placed.providerCallId);
    return { outcome: 'dialled' };
  }

  /** Stores the provider's id of the phone call, and hangs up if the call has ended while the provider responded. */
  async #storeProviderId(call: CallRow, providerCallId: string): Promise<void> {
    const now = await setProviderCallId(this.#deps.db, call.call_id, providerCallId);
    if (!now || now.ended_at)
      await hangUpIfRinging(this.#deps, { ...call, provider_call_id: providerCallId });
  }

  async #prepare(call: CallRow): Promise<ReadyPhoneCall | RefusedPhoneCall> {
    const { clock, phoneUrls } = this.#deps;
    const line = outgoingLine(call.settings.medium);
    if (!line) return refused('The call has no phone number to dial.');
    const { provider, outgoing } = line;
    const ringLimitS = Math.floor(
      (call.created_at.getTime() + durationToMs(call.settings.joinTimeout) - clock.wallMs()) / 1000,
    );
    if (ringLimitS < 1) return refused('joinTimeout left no time for the phone to ring.');
    const { answerUrl, statusUrl } = await phoneUrls(call);
    const { to, from, additionalParams = {} } = outgoing;
    return preparePhoneCall(this.#deps, call.account_id, provider, {
      ...{ to, from, answerUrl, statusUrl, ringLimitS, additionalParams },
    });
  }
}

/** Hangs up the phone call of a call that was ended before anyone answered. */
export async function hangUpIfRinging(deps: PhoneCallDeps, call: CallRow): Promise<void> {
  const { call_id: callId, account_id: accountId, provider_call_id: providerCallId } = call;
  const line = outgoingLine(call.settings.medium);
  if (!line || providerCallId === null || call.joined_at) return;
  await hangUpPhoneCall(deps, { accountId, callId, provider: line.provider, providerCallId });
}

export function outgoingLine(medium: CallMedium): { provider: TelephonyProvider; outgoing: Outgoing } | null {
  for (const provider of TELEPHONY_PROVIDERS) {
    const outgoing = medium[provider]?.outgoing;
    if (outgoing) return { provider, outgoing };
  }
  return null;
}

/** The result for a call that must not be dialled now. */
function answerWithoutDialling(call: CallRow | undefined): DialReplyMessage {
  return call && !call.ended_at ? { outcome: 'dialled' } : refused('The call has ended.');
}
