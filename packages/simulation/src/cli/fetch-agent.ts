import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiClient, type ApiClient } from '@calls/api-client';
import { AppError, toError } from '@calls/foundation/errors';
import type { UntrustedChecks } from '@calls/untrusted-work/untrusted-checks';
import { parseTemplate, type StoredTool, type TestedAgent } from '../agent/agent-call.ts';

/** The API key that `npm start` makes. */
const DEVELOPMENT_KEY = join(import.meta.dirname, '../../../../.data/dev-api-key');
/** More tools than an account needs. */
const MAX_PAGES = 20;
const REQUEST_LIMIT_MS = 10_000;

/** The agent of an account, with all tools of the account. */
export async function fetchAgent(
  agentId: string,
  { url, key }: { url: string; key: string | null },
  checks: UntrustedChecks,
): Promise<TestedAgent> {
  const apiKey = key ?? (await readFile(DEVELOPMENT_KEY, 'utf8').catch(() => '')).trim();
  if (apiKey === '') throw new AppError('usage', 'An agent by id needs an API key: set --key or API_KEY.');
  const client = createApiClient({
    baseUrl: url,
    apiKey,
    fetch: (request) => fetch(request, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) }),
  });
  try {
    const [{ data: agent, error }, tools] = await Promise.all([
      client.GET('/api/agents/{agent_id}', { params: { path: { agent_id: agentId } } }),
      fetchTools(client),
    ]);
    if (!agent) throw new AppError('agent_not_found', `${url}: ${error.detail}`);
    return { name: agent.name, template: await parseTemplate(agent.callTemplate ?? {}, checks), tools };
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError('unreachable', `${url} cannot be reached: ${toError(thrown).message}`, {
      cause: thrown,
    });
  }
}

async function fetchTools(client: ApiClient): Promise<StoredTool[]> {
  const tools: StoredTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { pageSize: 100, ...(cursor !== undefined && { cursor }) };
    const { data, error } = await client.GET('/api/tools', { params: { query } });
    if (!data) throw new AppError('tools_not_found', error.detail);
    for (const { toolId, name, definition } of data.results)
      tools.push({ tool_id: toolId, name, definition });
    if (data.next === null) return tools;
    cursor = new URL(data.next).searchParams.get('cursor') ?? undefined;
  }
  return tools;
}
