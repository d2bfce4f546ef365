import { isUuid } from '@calls/foundation/schema/objects';
import type { SipConfigRow } from '@calls/store/tables/sip';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';

const BY_ID = 'agent_';

/** The agent for this user of the account's SIP domain; null if no agent accepts the call. */
export async function chooseAgent(
  {
    allowed_agents: allowed,
    allow_all_agents: allowAll,
  }: Pick<SipConfigRow, 'allowed_agents' | 'allow_all_agents'>,
  user: string,
  checks: Pick<UntrustedChecks, 'firstMatch'>,
): Promise<string | null> {
  const named = agentNamed(user);
  const patterns = allowed.flatMap(({ toUserPattern }) => toUserPattern ?? []);
  const matched = patterns[await checks.firstMatch(patterns, user)];
  const allowance = allowed.find(({ agentId, toUserPattern }) =>
    toUserPattern === undefined ? agentId.toLowerCase() === named : toUserPattern === matched,
  );
  return allowance?.agentId ?? (allowAll ? named : null);
}

/** The agent that a user names: `agent_<id>`, or only the id. */
export function agentNamed(user: string): string | null {
  const name = user.toLowerCase();
  const id = name.startsWith(BY_ID) ? name.slice(BY_ID.length) : name;
  return isUuid(id) ? id : null;
}
