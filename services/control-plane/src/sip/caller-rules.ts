import { timingSafeEqual } from 'node:crypto';
import type {
  CallerDigest,
  SipCallerRequestMessage,
  SipRejection,
} from '@calls/api-contract/bus/sip-invites';
import { sipUserOf } from '@calls/call-lifecycle/creation/sip-address';
import { isUuid } from '@calls/foundation/schema/objects';
import { Networks } from '@calls/outbound-http/networks';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import { sipSecretContext } from '@calls/secrets/secret-box/secret-contexts';
import { digestResponse } from '@calls/sip/digest/response';
import type { Database } from '@calls/store/store';
import { findSipAccount, type SipAccount } from '@calls/store/tables/sip';
import { accountOfRegistration } from '@calls/store/tables/sip-registration-leases';
import { enabledSipTrunks, type SipTrunkRow } from '@calls/store/tables/sip-trunks';

export interface CallerRulesDeps {
  db: Database;
  secretBox: SecretBox;
  /** Parent domain of the accounts' SIP domains. */
  sipDomain: string;
}

/** An INVITE to decide about. The worker has checked the registration or the credentials of the trunk. */
export type Caller = SipCallerRequestMessage & {
  registrationId?: string | undefined;
  trunkId?: string | undefined;
};

/** A called account; `by`: why it admits the caller. */
export type CalledAccount = SipAccount & {
  trunk: Pick<SipTrunkRow, 'trunk_id' | 'codecs'> | undefined;
  by: 'address' | 'credentials' | 'registration';
};

export interface CallerChallenge {
  kind: 'challenge';
  realm: string;
}

const HOST = /^(?:sips?:)?(?:[^@]*@)?(?<host>[^@:;?]+)/iu;

export const NOT_FOUND = rejection(404, 'Not Found');
export const FORBIDDEN = rejection(403, 'Forbidden');

export function rejection(status: number, reason: string): SipRejection {
  return { kind: 'reject', status, reason };
}

/** Returns the called account if it takes the call of this caller. */
export async function calledAccount(
  deps: CallerRulesDeps,
  caller: Caller,
): Promise<CalledAccount | SipRejection | CallerChallenge> {
  const { db, sipDomain } = deps;
  const { registrationId } = caller;
  const accountId =
    registrationId === undefined
      ? accountOfDomain(caller, sipDomain)
      : await accountOfRegistration(db, registrationId);
  if (!accountId) return NOT_FOUND;
  const [called, trunks] = await Promise.all([
    findSipAccount(db, accountId),
    registrationId === undefined ? enabledSipTrunks(db, accountId) : [],
  ]);
  if (!called) return NOT_FOUND;
  if (!called.account.features.includes('sip')) return FORBIDDEN;
  if (registrationId !== undefined) return { ...called, trunk: undefined, by: 'registration' };

  const admitting = trunks.filter((trunk) => admits(deps, trunk, caller));
  const trunk = admitting.find(({ numbers }) => hasNumber(numbers, caller.to.user));
  const isAdmittedByAddress = (ranges: readonly string[]): boolean =>
    new Networks(ranges).contains(asIpv4(caller.sourceAddress));
  if (trunk) {
    const by = isAdmittedByAddress(trunk.allowed_cidr_ranges) ? 'address' : 'credentials';
    return { ...called, trunk, by };
  }
  if (isAdmittedByAddress(called.config.allowed_cidr_ranges)) {
    return { ...called, trunk: undefined, by: 'address' };
  }
  if (admitting.length > 0) return NOT_FOUND;
  const needsCredentials = trunks.some(({ credentials }) => credentials.incoming !== null);
  return needsCredentials
    ? { kind: 'challenge', realm: `${accountId}.${sipDomain}`.toLowerCase() }
    : FORBIDDEN;
}

/** Whether a trunk takes calls of a caller: by its address or its credentials. */
function admits({ secretBox }: CallerRulesDeps, trunk: SipTrunkRow, caller: Caller): boolean {
  if (new Networks(trunk.allowed_cidr_ranges).contains(asIpv4(caller.sourceAddress))) return true;
  if (caller.trunkId !== undefined) return caller.trunkId === trunk.trunk_id;
  const { incoming } = trunk.credentials;
  if (!incoming || caller.digest?.username !== incoming.username) return false;
  return isRight(caller.digest, secretBox.open(incoming.password, sipSecretContext(trunk.account_id)));
}

function isRight(
  { algorithm, nonceCount, cnonce, response, ...digest }: CallerDigest,
  password: string,
): boolean {
  const expected = digestResponse(
    {
      ...digest,
      hash: algorithm === 'MD5' ? 'md5' : 'sha256',
      isSession: false,
      method: 'INVITE',
      qop: nonceCount === null ? null : { nonceCount, cnonce },
      cnonce,
    },
    password,
  );
  return response.length === expected.length && timingSafeEqual(Buffer.from(response), Buffer.from(expected));
}

/** Whether a user is one of the numbers, with or without plus and separators. True if there are no numbers. */
function hasNumber(numbers: readonly string[], user: string): boolean {
  const plain = (number: string): string => (sipUserOf(number) ?? number).replace(/^\+/u, '');
  return numbers.length === 0 || numbers.some((number) => plain(number) === plain(user));
}

/** Ranges are IPv4; a dual-stack socket shows IPv4 addresses as IPv6. */
function asIpv4(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/iu, '');
}

/**
 * Returns the called account: by the Request-URI or, if a proxy replaced it, by `To`. Null if the domain is not one of
 * this service.
 */
export function accountOfDomain(
  { domain, to }: Pick<SipCallerRequestMessage, 'domain' | 'to'>,
  sipDomain: string,
): string | null {
  const under = `.${sipDomain.toLowerCase()}`;
  const hosts = [domain, HOST.exec(to.uri)?.groups?.['host'] ?? ''].map((host) => host.toLowerCase());
  const own = hosts.find((host) => host.endsWith(under))?.slice(0, -under.length) ?? '';
  return isUuid(own) ? own : null;
}
