import { newId } from '@calls/foundation/ids';
import type { SecretBox } from '@calls/secrets/secret-box/secret-box';
import type { Database } from '@calls/store/store';
import { storedToolsOf, type NewCallTool } from '@calls/store/tables/call-tools';
import { openToolAuth, sealToolAuth } from './secrets.ts';
import type { ResolvedTool } from './tools/resolved-tool.ts';

/** Tools of a stage as they are stored. */
export function toolRows(box: SecretBox, accountId: string, tools: readonly ResolvedTool[]): NewCallTool[] {
  return tools.map(({ toolId, name, definition, auth }) => ({
    callToolId: newId(),
    toolId,
    name,
    definition,
    sealedAuth: sealToolAuth(box, accountId, auth),
  }));
}

/** Reverses `toolRows`. */
export async function toolsOfStage(
  { db, secretBox }: { db: Database; secretBox: SecretBox },
  stage: { accountId: string; callId: string; stageId: string },
): Promise<ResolvedTool[]> {
  const rows = await storedToolsOf(db, stage);
  return rows.map(({ tool_id: toolId, name, definition, sealed_auth: sealed }) => ({
    toolId,
    name,
    definition,
    auth: {
      ...openToolAuth(secretBox, stage.accountId, sealed),
      callTokenScopes: definition.http?.callTokenScopes ?? null,
    },
  }));
}
