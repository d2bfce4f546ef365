import type { FallbackHandler, SipConfig, SipRegistration } from '@calls/api-contract';
import { sipSecretContext, type SecretBox } from '@calls/secret-box';
import type { SipConfigRow, SipRegistrationRow } from '@calls/store';

/** `sipDomain`: each account's own is under it. */
export function sipConfigView(row: SipConfigRow, secretBox: SecretBox, sipDomain: string): SipConfig {
  const { fallback_handler: handler } = row;
  return {
    allowedCidrRanges: row.allowed_cidr_ranges,
    allowAllAgents: row.allow_all_agents,
    allowedAgents: row.allowed_agents,
    ...(handler && { fallbackHandler: fallbackHandlerView(row.account_id, handler, secretBox) }),
    domain: `${row.account_id}.${sipDomain}`,
  };
}

function fallbackHandlerView(
  accountId: string,
  { url, secrets }: NonNullable<SipConfigRow['fallback_handler']>,
  secretBox: SecretBox,
): FallbackHandler {
  const context = sipSecretContext(accountId);
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
