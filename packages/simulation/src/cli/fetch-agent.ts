import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import { parseTemplate, type TestedAgent } from '../agent/agent-call.ts';
import { allItems, dataOf, withService, type ServiceAddress } from './service.ts';

/** The agent of an account, with all tools of the account. */
export function fetchAgent(
  agentId: string,
  service: ServiceAddress,
  checks: UntrustedChecks,
): Promise<TestedAgent> {
  return withService(service, async (client) => {
    const path = { agent_id: agentId };
    const { name, callTemplate } = dataOf(await client.GET('/api/agents/{agent_id}', { params: { path } }));
    const tools = await allItems((query) => client.GET('/api/tools', { params: { query } }));
    return {
      name,
      template: await parseTemplate(callTemplate ?? {}, checks),
      tools: tools.map((tool) => ({ tool_id: tool.toolId, name: tool.name, definition: tool.definition })),
    };
  });
}
