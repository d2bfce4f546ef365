import {
  createTool,
  deleteTool as deleteOperation,
  getTool,
  listCallStageTools,
  listCallTools as listCallToolsOperation,
  listToolHistory,
  listTools,
  replaceTool,
  testTool as testOperation,
} from '@calls/api-contract/operations/tools.operations';
import type { CallTool, Tool } from '@calls/api-contract/rest/tool-resource';
import { urlRefusal } from '@calls/call-lifecycle/creation/url-rules';
import type { CallView } from '@calls/call-lifecycle/notifications/views';
import type { Clock } from '@calls/foundation/clock';
import { newId } from '@calls/foundation/ids';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { Database } from '@calls/store/store';
import { findCallStage } from '@calls/store/tables/call-stages';
import {
  listCallTools,
  toolHistoryOf,
  type CallToolRow,
  type ToolHistoryRow,
} from '@calls/store/tables/call-tools';
import { findCall } from '@calls/store/tables/calls';
import {
  deleteTool,
  findTool,
  insertTool,
  toolsOf,
  updateTool,
  type ToolRow,
} from '@calls/store/tables/tools';
import type { ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import { HttpProblem, orConflict, orNotFound } from '../problems/problem.ts';
import { testTool } from '../tools/test-tool.ts';
import { completeTool, toolIssues, toolOfDocument } from '../tools/tool-rules.ts';
import type { BulkWork } from '../untrusted-work/bulk-work.ts';
import { isUpload, readUpload } from '../uploads/multipart.ts';
import type { ApiRouter } from './api-router.ts';
import { closeSignal, type BodyRules } from './body-reader.ts';

const TAKEN = 'The name is used by another tool of the account.';

export interface ToolRoutesDeps {
  db: Database;
  clock: Clock;
  outbound: OutboundHttp;
  callView: CallView;
  checksOf: ChecksOf;
  bulkWork: BulkWork;
}

export function toolRoutes(api: ApiRouter, deps: ToolRoutesDeps): void {
  const { db, clock, outbound, callView, checksOf, bulkWork } = deps;
  const urlRule = ({ href }: URL): string | null => urlRefusal(outbound, href);
  const rules: BodyRules = {
    issues: (body, accountId) => toolIssues(body, urlRule, checksOf(accountId)),
  };
  const visible = async (accountId: string, toolId: string): Promise<ToolRow> =>
    orNotFound('tool', await findTool(db, accountId, toolId));
  /** Throws unless the tool belongs to the account; public tools are shared by all accounts. */
  const own = async (accountId: string, toolId: string): Promise<void> => {
    const row = await visible(accountId, toolId);
    if (row.account_id === null) {
      throw new HttpProblem(403, 'public_tool', 'Public tools cannot be replaced or deleted.');
    }
  };
  const callTools = async (accountId: string, callId: string, stageId: string | null) => {
    orNotFound('call', await findCall(db, accountId, callId));
    if (stageId !== null) orNotFound('call stage', await findCallStage(db, callId, stageId));
    return (await listCallTools(db, callId, stageId)).map(callToolView);
  };

  api
    .list(listTools, ({ accountId, query }) => {
      const { ownership = null, search = null, sortOrder = 'default' } = query;
      return { source: toolsOf(db, accountId, { ownership, search, order: sortOrder }), item: toolView };
    })
    .on(
      createTool,
      async ({ accountId, body, http }) => {
        const draft = isUpload(http.request)
          ? await toolOfDocument(await readUpload(http.request), {
              accountId,
              urlRule,
              checks: checksOf(accountId),
              bulkWork,
              signal: closeSignal(http.response),
            })
          : body;
        const { name, definition } = completeTool(draft);
        const createdAt = new Date(clock.wallMs());
        const row = insertTool(db, { toolId: newId(), accountId, name, definition, createdAt });
        return toolView(await orConflict(TAKEN, row));
      },
      rules,
    )
    .on(getTool, async ({ accountId, params }) => toolView(await visible(accountId, params.tool_id)))
    .on(
      replaceTool,
      async ({ accountId, params, body }) => {
        await own(accountId, params.tool_id);
        const row = await orConflict(TAKEN, updateTool(db, accountId, params.tool_id, completeTool(body)));
        return toolView(orNotFound('tool', row));
      },
      rules,
    )
    .on(deleteOperation, async ({ accountId, params }) => {
      await own(accountId, params.tool_id);
      orNotFound('tool', await deleteTool(db, accountId, params.tool_id));
    })
    .list(listToolHistory, async ({ accountId, params }) => {
      await visible(accountId, params.tool_id);
      return {
        source: toolHistoryOf(db, accountId, params.tool_id),
        item: async (row: ToolHistoryRow) => ({
          call: await callView(row),
          errorCount: row.tool_error_count,
        }),
      };
    })
    .raw(testOperation, async ({ accountId, params, body, http }) => {
      const { definition } = await visible(accountId, params.tool_id);
      const result = await testTool(definition, body, {
        accountId,
        outbound,
        checks: checksOf(accountId),
        clock,
      });
      http.response.status(result.status).set('X-Svc-Tool-Status', String(result.status));
      // Bypasses `set`, which would add a charset.
      if (result.contentType !== undefined) http.response.setHeader('Content-Type', result.contentType);
      http.response.end(result.body);
    })
    .on(listCallToolsOperation, ({ accountId, params }) => callTools(accountId, params.call_id, null))
    .on(listCallStageTools, ({ accountId, params }) =>
      callTools(accountId, params.call_id, params.call_stage_id),
    );
}

function toolView(row: ToolRow): Tool {
  return {
    toolId: row.tool_id,
    name: row.name,
    created: row.created_at.toISOString(),
    definition: row.definition,
    ownership: row.account_id === null ? 'public' : 'private',
  };
}

function callToolView(row: Omit<CallToolRow, 'sealed_auth'>): CallTool {
  return {
    callToolId: row.call_tool_id,
    toolId: row.tool_id,
    name: row.name,
    definition: row.definition,
  };
}
