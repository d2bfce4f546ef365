import type { FallbackHandler, SipConfig, SipRegistration } from '@calls/api-contract';
import { sipSecretContext, type SecretBox } from '@calls/secret-box';
import type { SipConfigRow, SipRegistrationRow } from '@calls/store';

/** `sipDomain`: each account's own is under it. */
export function sipConfigView(row: SipConfigRow, secretBox: SecretBox, sipDomain: string): SipConfig {
  return {
    allowedCidrRanges: row.allowed_cidr_ranges,
    allowAllAgents: row.allow_all_agents,
    allowedAgents: row.allowed_agents,
    fallbackHandler: fallbackHandlerView(row, secretBox),
    domain: `${row.account_id}.${sipDomain}`,
  };
}

function fallbackHandlerView(row: SipConfigRow, secretBox: SecretBox): FallbackHandler | null {
  if (!row.fallback_handler) return null;
  const { url, secrets } = row.fallback_handler;
  const context = sipSecretContext(row.account_id);
  return { url, secrets: secrets.map((secret) => secretBox.open(secret, context)) };
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
  };
}
