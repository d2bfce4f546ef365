import type { Issue } from '@calls/api-contract/validation/validator';
import type { Database } from '@calls/store/store';
import { agentsAmong } from '@calls/store/tables/agents';

/** One issue for each id that is not an agent of the account. */
export async function unknownAgentFaults(
  db: Database,
  accountId: string,
  named: readonly { agentId: string; path: string }[],
): Promise<Issue[]> {
  const ids = named.map(({ agentId }) => agentId);
  const known = await agentsAmong(db, accountId, ids);
  return named
    .filter(({ agentId }) => !known.has(agentId.toLowerCase()))
    .map(({ path }) => ({ path, message: 'must be the id of an agent' }));
}
