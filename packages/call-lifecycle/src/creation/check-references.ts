import type { StartCallRequest } from '@calls/api-contract/rest/call';
import type { Issue } from '@calls/foundation/schema/validator';
import type { ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import { chooseVoice, type ChosenVoice, type VoiceDeps } from './choose-voice.ts';
import { CallRefusal, invalidCall } from './refusal.ts';
import type { McpToolLists } from './tools/mcp-tool-lists.ts';
import { resolveTools } from './tools/resolve-tools.ts';
import type { ResolvedTool } from './tools/resolved-tool.ts';
import { urlRefusal, type UrlGuard } from './url-rules.ts';

export interface ValidationDeps extends VoiceDeps {
  models: readonly string[];
  outbound: UrlGuard;
  checksOf: ChecksOf;
  mcpTools: McpToolLists;
}

/** Voice and tools of a stage. */
export interface References {
  voice: ChosenVoice;
  tools: readonly ResolvedTool[];
}

export interface CheckedReferences {
  issues: readonly Issue[];
  /** Undefined if there are issues or the catalogue is empty. */
  voice: ChosenVoice | undefined;
  /** Null if there are issues. */
  tools: readonly ResolvedTool[] | null;
}

type Referring = Pick<
  StartCallRequest,
  'model' | 'voice' | 'externalVoice' | 'voiceOverrides' | 'languageHint' | 'selectedTools' | 'dataConnection'
>;

/** Looks up the model, voice and tools of a request. `isTemplate`: texts can contain variables. */
export async function checkReferences(
  { models, ...deps }: ValidationDeps,
  accountId: string,
  request: Referring,
  isTemplate = false,
): Promise<CheckedReferences> {
  const [voice, { tools, issues: toolIssues }] = await Promise.all([
    chooseVoice(deps, accountId, request),
    resolveTools(deps.db, {
      accountId,
      selectedTools: request.selectedTools ?? [],
      path: 'selectedTools',
      urlRule: ({ href }) => urlRefusal(deps.outbound, href),
      checks: deps.checksOf(accountId),
      // A template's servers may need the context of a call.
      mcpTools: isTemplate ? null : deps.mcpTools,
      hasDataConnection: isTemplate || request.dataConnection !== undefined,
      isTemplate,
    }),
  ]);
  const issues: Issue[] = [];
  if (request.model !== undefined && !models.includes(request.model)) {
    issues.push({ path: 'model', message: `must be one of ${models.join(', ')}` });
  }
  issues.push(...toolIssues);
  const voiceIssue = voice && 'path' in voice ? voice : null;
  if (voiceIssue) issues.push(voiceIssue);
  return { issues, voice: voice && 'path' in voice ? undefined : voice, tools };
}

/** Throws a CallRefusal if there are issues or there is no voice. */
export function assertNoIssues({ issues, voice, tools }: CheckedReferences): References {
  if (issues.length > 0 || !tools) throw invalidCall(issues);
  if (voice) return { voice, tools };
  const detail = 'The voice catalogue is empty; migrate the database first.';
  throw new CallRefusal('impossible', 'no_voice', detail);
}
