import { Closed, JsonObject } from '@calls/foundation/schema/objects';
import { Type } from 'typebox';
import { CallTool, Tool, ToolHistory, ToolOwnership, ToolSortOrder } from '../rest/tool-resource.ts';
import { AuthTokens } from '../rest/tool.ts';
import { call } from './examples/calls.examples.ts';
import { pageOf } from './examples/example-values.ts';
import { callTool, tool, toolBody } from './examples/tools.examples.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Tools';
const path = '/api/tools/{tool_id}';

export const listTools = defineList({
  id: 'listTools',
  path: '/api/tools',
  tag,
  summary: 'List tools',
  description: 'Returns the tools of the account and the public ones.',
  example: { query: { ownership: 'private', sortOrder: 'alphabetic' }, response: pageOf(tool) },
  filters: {
    ownership: Type.Optional(ToolOwnership),
    search: Type.Optional(
      Type.String({ minLength: 1, maxLength: 40, description: 'Part of the name; not case-sensitive.' }),
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
  summary: 'Create a tool',
  description:
    'Creates a tool from its definition, or from an OpenAPI 3.0 or 3.1 document (JSON or YAML, at most 1 MiB) that describes one operation. Fails with 409 if the name is in use.',
  example: { body: toolBody, response: tool },
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
  summary: 'Get a tool',
  description: 'Returns a tool with its definition.',
  example: { response: tool },
  status: 200,
  response: Tool.Response,
});

export const replaceTool = defineOperation({
  id: 'replaceTool',
  method: 'PUT',
  path,
  tag,
  summary: 'Replace a tool',
  description:
    'Replaces a tool. Existing calls do not change. Fails with 403 for public tools and 409 if the name is in use.',
  example: { body: { ...toolBody, name: 'findBooking' }, response: { ...tool, name: 'findBooking' } },
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
  summary: 'Delete a tool',
  description: 'Deletes a tool. Existing calls do not change. Fails with 403 for public tools.',
  example: {},
  status: 204,
  errorStatuses: [403],
});

export const listToolHistory = defineList({
  id: 'listToolHistory',
  path: '/api/tools/{tool_id}/history',
  tag,
  summary: 'List the calls of a tool',
  description:
    'Returns the calls in which the tool was available, newest first, with the number of its failures.',
  example: { response: pageOf({ call, errorCount: 0 }) },
  item: ToolHistory,
  itemName: 'ToolHistory',
});

export const testTool = defineOperation({
  id: 'testTool',
  method: 'POST',
  path: '/api/tools/{tool_id}/test',
  tag,
  summary: 'Test a tool',
  description:
    'Makes the HTTP request of a tool once, without a call, and returns its status, content type and body (at most 1 MiB). For an MCP server, calls the tool `mcpToolName`, or lists the tools, and returns JSON. `X-Svc-Tool-Status` marks responses of the tool. Fails with 422 if the tool is not an HTTP or MCP tool, needs a call token or does not respond.',
  example: {
    body: { parameters: { number: 'B-1042' }, authTokens: { bookings: 'token-of-the-bookings-api' } },
  },
  body: Closed(
    {
      parameters: Type.Optional(
        Type.With(JsonObject, { description: 'Values of dynamic and automatic parameters by name.' }),
      ),
      authTokens: Type.Optional(AuthTokens),
      mcpToolName: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          description: "Name of the MCP server's tool to call. If absent, the server's tools are listed.",
        }),
      ),
    },
    'ToolTest',
  ),
  status: 200,
  otherResponses: [
    { status: 200, mediaType: '*/*', description: 'The response of the tool, with its status.' },
  ],
  errorStatuses: [422],
});

export const listCallTools = defineOperation({
  id: 'listCallTools',
  method: 'GET',
  path: '/api/calls/{call_id}/tools',
  tag: 'Calls',
  callScope: 'call.read',
  summary: 'List the tools of a call',
  description: 'Returns the tools of all stages of a call.',
  example: { response: [callTool] },
  status: 200,
  response: Type.Array(CallTool),
});

export const listCallStageTools = defineOperation({
  id: 'listCallStageTools',
  method: 'GET',
  path: '/api/calls/{call_id}/stages/{call_stage_id}/tools',
  tag: 'Calls',
  callScope: 'call.read',
  summary: 'List the tools of a stage',
  description: 'Returns the tools of a stage of a call.',
  example: { response: [callTool] },
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
