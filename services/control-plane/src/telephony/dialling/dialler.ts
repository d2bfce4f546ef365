import type { DialAnswer } from '@calls/api-contract/bus/live-calls';
import { durationToMs } from '@calls/api-contract/duration';
import type { CallMedium, TelephonyMedium } from '@calls/api-contract/rest/medium';
import { TELEPHONY_PROVIDERS, type TelephonyProvider } from '@calls/api-contract/vendors/telephony-vendors';
import type { Clock } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { findAnyCall, markDialled, type CallRow } from '@calls/store/tables/calls';
import { findTelephonyConfig } from '@calls/store/tables/telephony-configs';
import type { PhoneUrlsOf } from '../phone-urls.ts';
import { openTelephonySecrets } from '../telephony-config-service.ts';
import type { TelephonyUrls } from '../../config.ts';
import type { Dial } from '../vendors/dial-dialect.ts';
import { TELEPHONY_ADAPTERS } from '../vendors/telephony-adapters.ts';
import { orderPhoneCall, type OrderOutcome } from './order-phone-call.ts';

export interface DiallerDeps {
  db: Database;
  secretBox: SecretBox;
  /** HTTP client for the providers' APIs; the operator configures their addresses. */
  outbound: Pick<OutboundHttp, 'request'>;
  telephonyUrls: TelephonyUrls;
  phoneUrls: PhoneUrlsOf;
  clock: Clock;
  log: Logger;
}

type Outgoing = NonNullable<TelephonyMedium['outgoing']>;

interface ReadyDial {
  provider: TelephonyProvider;
  dial: Dial;
}

const MAX_SAID_LENGTH = 500;

/** Requests outbound phone calls from telephony providers. */
export class Dialler {
  readonly #deps: DiallerDeps;

  constructor(deps: DiallerDeps) {
    this.#deps = deps;
  }

  /** Requests the phone call at most once per call, whatever the result. */
  async dial(callId: string): Promise<DialAnswer> {
    const { db, clock } = this.#deps;
    const call = await findAnyCall(db, callId);
    if (!call || call.dialled_at || call.ended_at) return asItIs(call);
    // Failures on our side come before the mark, so that the request can be repeated.
    const ready = await this.#prepare(call);
    if ('outcome' in ready) return ready;
    if (await markDialled(db, callId, new Date(clock.wallMs()))) return this.#order(call, ready);
    return asItIs(await findAnyCall(db, callId));
  }

  async #prepare(call: CallRow): Promise<ReadyDial | (DialAnswer & { outcome: 'refused' })> {
    const { db, secretBox, clock, phoneUrls } = this.#deps;
    const line = outgoingLine(call.settings.medium);
    if (!line) return refused('The call has no phone number to dial.');
    const { provider, outgoing } = line;
    const config = await findTelephonyConfig(db, call.account_id, provider);
    if (!config) return refused(`The account no longer has a configuration of ${provider}.`);
    const ringLimitS = Math.floor(
      (call.created_at.getTime() + durationToMs(call.settings.joinTimeout) - clock.wallMs()) / 1000,
    );
    if (ringLimitS < 1) return refused('joinTimeout left no time for the phone to ring.');
    const { answerUrl, statusUrl } = await phoneUrls(call);
    const { to, from, additionalParams = {} } = outgoing;
    const { identifiers } = config;
    const secrets = openTelephonySecrets(config, secretBox);
    return {
      provider,
      dial: { identifiers, secrets, to, from, answerUrl, statusUrl, ringLimitS, additionalParams },
    };
  }

  async #order(call: CallRow, { provider, dial }: ReadyDial): Promise<DialAnswer> {
    const { log, telephonyUrls } = this.#deps;
    const dialect = TELEPHONY_ADAPTERS[provider].dialling;
    const order = dialect.request(dial);
    const outcome = await orderPhoneCall(this.#deps, { baseUrl: telephonyUrls[provider], order, dialect });
    const pii = { to: dial.to, from: dial.from };
    const fields = { callId: call.call_id, provider, pii };
    switch (outcome.is) {
      case 'taken':
        log.info({ ...fields, providerCallId: outcome.providerCallId }, 'phone call requested');
        return { outcome: 'dialled' };
      case 'unclear':
        // An answered phone call needs its agent, so the call stays open.
        log.warn({ ...fields, why: outcome.why }, 'phone call requested; result unknown');
        return { outcome: 'dialled' };
      case 'refused': {
        const detail = detailOf(provider, outcome, Object.values(dial.secrets));
        log.warn({ ...fields, why: outcome.why, pii: { ...pii, detail } }, 'phone call request refused');
        return refused(detail);
      }
    }
  }
}

function outgoingLine(medium: CallMedium): { provider: TelephonyProvider; outgoing: Outgoing } | null {
  for (const provider of TELEPHONY_PROVIDERS) {
    const outgoing = medium[provider]?.outgoing;
    if (outgoing) return { provider, outgoing };
  }
  return null;
}

/** The result for a call that must not be dialled now. */
function asItIs(call: CallRow | undefined): DialAnswer {
  return call && !call.ended_at ? { outcome: 'dialled' } : refused('The call has ended.');
}

function refused(detail: string): DialAnswer & { outcome: 'refused' } {
  return { outcome: 'refused', detail };
}

/** Removes the account's secrets, in case the provider quotes them. */
function detailOf(
  provider: TelephonyProvider,
  { why, said }: OrderOutcome & { is: 'refused' },
  secrets: readonly string[],
): string {
  const what = `${provider} did not dial: ${why}`;
  if (said === null) return `${what}.`;
  const quoted = secrets
    .reduce((text, secret) => text.replaceAll(secret, '…'), said)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, MAX_SAID_LENGTH)
    .toWellFormed();
  return `${what}: ${quoted}`;
}
