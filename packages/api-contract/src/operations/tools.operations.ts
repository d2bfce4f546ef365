import { Type } from 'typebox';
import { Closed, JsonObject } from '../rest/common.ts';
import { CallTool, Tool, ToolHistory, ToolOwnership, ToolSortOrder } from '../rest/tool-resource.ts';
import { AuthTokens } from '../rest/tool.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Tools';
const path = '/api/tools/{tool_id}';
const forbidden = 'Public tools can be neither replaced nor deleted: 403.';

export const listTools = defineList({
  id: 'listTools',
  path: '/api/tools',
  tag,
  summary: 'Lists the tools of the account and the public ones.',
  description:
    '`chronologic` is oldest first, `default` and `reverseChronologic` newest first; `display` has the account’s own before the public ones, each by name.',
  filters: {
    ownership: Type.Optional(ToolOwnership),
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 40, description: 'Part of the name, in any case.' }),
    ),
    sortOrder: Type.Optional(ToolSortOrder),
  },
  item: Tool.Response,
  itemName: 'Tool',
});

export const createTool = defineOperation({
  id: 'createTool',
  method: 'POST',
  path: '/api/tools',
  tag,
  summary: 'Creates a tool.',
  description:
    'From its definition, or from a file: an OpenAPI 3.0 or 3.1 document, JSON or YAML, that describes exactly one operation.',
  body: Tool.Request,
  otherBodies: {
    'multipart/form-data': Closed(
      { file: Type.String({ format: 'binary', description: 'An OpenAPI document of at most 1 MiB.' }) },
      'ToolDocument',
    ),
  },
  status: 201,
  response: Tool.Response,
  errorStatuses: [409],
});

export const getTool = defineOperation({
  id: 'getTool',
  method: 'GET',
  path,
  tag,
  summary: 'Gets a tool.',
  status: 200,
  response: Tool.Response,
});

export const replaceTool = defineOperation({
  id: 'replaceTool',
  method: 'PUT',
  path,
  tag,
  summary: 'Replaces a tool. Calls keep the one that they were created with.',
  description: forbidden,
  body: Tool.Request,
  status: 200,
  response: Tool.Response,
  errorStatuses: [403, 409],
});

export const deleteTool = defineOperation({
  id: 'deleteTool',
  method: 'DELETE',
  path,
  tag,
  summary: 'Deletes a tool. Calls keep the one that they were created with.',
  description: forbidden,
  status: 204,
  errorStatuses: [403],
});

export const listToolHistory = defineList({
  id: 'listToolHistory',
  path: '/api/tools/{tool_id}/history',
  tag,
  summary: 'Lists the calls that had the tool, newest first.',
  item: ToolHistory,
  itemName: 'ToolHistory',
});

export const testTool = defineOperation({
  id: 'testTool',
  method: 'POST',
  path: '/api/tools/{tool_id}/test',
  tag,
  summary: 'Makes the request of an HTTP tool once, outside of any call, and answers its answer.',
  description:
    'Status, content type and body (at most 1 MiB) are those of the tool; `X-Svc-Tool-Status` tells them from refusals of the service’s own. 422 where the tool is not an HTTP tool, needs the token of a call, or did not answer.',
  body: Closed(
    {
      parameters: Type.Optional(
        Type.With(JsonObject, { description: 'Values of dynamic and automatic parameters, by name.' }),
      ),
      authTokens: Type.Optional(AuthTokens),
    },
    'ToolTest',
  ),
  status: 200,
  otherResponses: [{ status: 200, mediaType: '*/*', description: 'What the tool answered.' }],
  errorStatuses: [422],
});

export const listCallTools = defineOperation({
  id: 'listCallTools',
  method: 'GET',
  path: '/api/calls/{call_id}/tools',
  tag: 'Calls',
  callScope: 'call.read',
  summary: 'Lists the tools of every stage of a call.',
  status: 200,
  response: Type.Array(CallTool),
});

export const listCallStageTools = defineOperation({
  id: 'listCallStageTools',
  method: 'GET',
  path: '/api/calls/{call_id}/stages/{call_stage_id}/tools',
  tag: 'Calls',
  callScope: 'call.read',
  summary: 'Lists the tools of a stage of a call.',
  status: 200,
  response: Type.Array(CallTool),
});

export const toolOperations = [
  listTools,
  createTool,
  getTool,
  replaceTool,
  deleteTool,
  listToolHistory,
  testTool,
  listCallTools,
  listCallStageTools,
];
