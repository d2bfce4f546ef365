import type { PhoneLegEnd } from '@calls/api-contract/bus/transfer-legs';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { Dial } from '@calls/providers/telephony/dialling';
import { type TelephonyProvider, TELEPHONY_ACCOUNTS } from '@calls/providers/telephony/telephony-vendors';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { findTelephonyConfig } from '@calls/store/tables/telephony-configs';
import type { TelephonyUrls } from '../../config.ts';
import { openTelephonySecrets } from '../telephony-config-service.ts';
import { requestHangUp, requestPhoneCall, type RequestOutcome } from './request-phone-call.ts';

export interface PhoneCallDeps {
  db: Database;
  secretBox: SecretBox;
  /** HTTP client for the providers' APIs; the operator configures their addresses. */
  outbound: Pick<OutboundHttp, 'request'>;
  telephonyUrls: TelephonyUrls;
  clock: Clock;
  log: Logger;
}

/** A phone call with the credentials to request it. */
export interface ReadyPhoneCall {
  provider: TelephonyProvider;
  dial: Dial;
}

/** `detail` is a sentence for the owner of the call. */
export interface RefusedPhoneCall {
  outcome: 'refused';
  detail: string;
}

export type PlacedPhoneCall = { outcome: 'dialled'; providerCallId: string | null } | RefusedPhoneCall;

const MAX_SAID_LENGTH = 500;

export async function preparePhoneCall(
  { db, secretBox }: Pick<PhoneCallDeps, 'db' | 'secretBox'>,
  accountId: string,
  provider: TelephonyProvider,
  call: Omit<Dial, 'identifiers' | 'secrets'>,
): Promise<ReadyPhoneCall | RefusedPhoneCall> {
  const config = await findTelephonyConfig(db, accountId, provider);
  if (!config) return refused(`The account has no configuration for ${provider}.`);
  const { identifiers } = config;
  return { provider, dial: { ...call, identifiers, secrets: openTelephonySecrets(config, secretBox) } };
}

/** Requests a phone call. `fields` are logged. */
export async function placePhoneCall(
  deps: PhoneCallDeps,
  { provider, dial }: ReadyPhoneCall,
  about: { callId: string; legId?: string },
): Promise<PlacedPhoneCall> {
  const { log, telephonyUrls } = deps;
  const dialect = TELEPHONY_ACCOUNTS[provider].dialling;
  const request = dialect.request(dial);
  const outcome = await requestPhoneCall(deps, { baseUrl: telephonyUrls[provider], request, dialect });
  const pii = { to: dial.to, from: dial.from };
  const fields = { ...about, provider, pii };
  switch (outcome.kind) {
    case 'accepted': {
      const { providerCallId } = outcome;
      log.info({ ...fields, providerCallId }, 'phone call requested');
      return { outcome: 'dialled', providerCallId };
    }
    case 'unclear':
      // An answered phone call needs its agent, so the call stays open.
      log.warn({ ...fields, reason: outcome.reason }, 'phone call requested; result unknown');
      return { outcome: 'dialled', providerCallId: null };
    case 'refused': {
      const detail = detailOf(provider, outcome, Object.values(dial.secrets));
      log.warn({ ...fields, reason: outcome.reason, pii: { ...pii, detail } }, 'provider refused phone call');
      return refused(detail);
    }
  }
}

/**
 * Ends a phone call that may still ring. Retries after 429. Never rejects; failures are logged: the provider ends it at
 * its ring limit.
 */
export async function hangUpPhoneCall(
  deps: PhoneCallDeps,
  { accountId, callId, legId, provider, providerCallId }: Omit<PhoneLegEnd, 'legId'> & { legId?: string },
): Promise<void> {
  const { db, secretBox, telephonyUrls, log } = deps;
  const fields = { callId, legId, provider, providerCallId };
  try {
    const config = await findTelephonyConfig(db, accountId, provider);
    if (!config) return;
    const account = { identifiers: config.identifiers, secrets: openTelephonySecrets(config, secretBox) };
    const request = TELEPHONY_ACCOUNTS[provider].dialling.hangUp(account, providerCallId);
    const status = await requestHangUp(deps, { baseUrl: telephonyUrls[provider], request });
    if (status >= 300) log.warn({ ...fields, status }, 'failed to hang up phone call');
  } catch (thrown) {
    log.warn({ ...fields, err: toError(thrown) }, 'failed to hang up phone call');
  }
}

export function refused(detail: string): RefusedPhoneCall {
  return { outcome: 'refused', detail };
}

/** Removes the account's secrets, in case the provider quotes them. */
function detailOf(
  provider: TelephonyProvider,
  { reason, said }: RequestOutcome & { kind: 'refused' },
  secrets: readonly string[],
): string {
  const what = `${provider} did not dial: ${reason}`;
  if (said === null) return `${what}.`;
  const quoted = secrets
    .reduce((text, secret) => text.replaceAll(secret, '…'), said)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, MAX_SAID_LENGTH)
    .toWellFormed();
  return `${what}: ${quoted}`;
}
