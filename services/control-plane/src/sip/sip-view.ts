import type { SipConfig, SipRegistration } from '@calls/api-contract/rest/sip';
import type { SipTrunk } from '@calls/api-contract/rest/sip-trunk';
import type { SipConfigRow, SipRegistrationRow } from '@calls/store/tables/sip';
import type { SipTrunkRow } from '@calls/store/tables/sip-trunks';

/** `sipDomain`: parent of the account's domain. */
export function sipConfigView(row: SipConfigRow, sipDomain: string): SipConfig {
  const { fallback_handler: handler } = row;
  return {
    allowedCidrRanges: row.allowed_cidr_ranges,
    allowAllAgents: row.allow_all_agents,
    allowedAgents: row.allowed_agents,
    ...(handler && { fallbackHandler: { url: handler.url } }),
    domain: `${row.account_id}.${sipDomain}`,
  };
}

export function sipRegistrationView(row: SipRegistrationRow): SipRegistration {
  return {
    registrationId: row.registration_id,
    created: row.created_at.toISOString(),
    username: row.username,
    proxy: row.proxy,
    outboundProxy: row.outbound_proxy,
    authUser: row.auth_user,
    successful: row.successful,
    lastError: row.successful === false ? row.last_error : null,
    expiresAt: row.successful === true ? (row.expires_at?.toISOString() ?? null) : null,
  };
}

export function sipTrunkView(row: SipTrunkRow): SipTrunk {
  return {
    trunkId: row.trunk_id,
    created: row.created_at.toISOString(),
    name: row.name,
    enabled: row.enabled,
    proxy: row.proxy,
    outboundProxy: row.outbound_proxy,
    username: row.credentials.outgoing?.username ?? null,
    from: row.default_from,
    numbers: row.numbers,
    allowedCidrRanges: row.allowed_cidr_ranges,
    incomingUsername: row.credentials.incoming?.username ?? null,
    codecs: row.codecs,
    maxCalls: row.max_calls,
  };
}
