import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type {
  CallToolRequest,
  CallToolResult,
  ServerNotification,
  ServerRequest,
  Tool,
} from '@modelcontextprotocol/sdk/types.js';

const NO_ARGUMENTS = { type: 'object' as const, properties: {} };

export const TOOLS: Tool[] = [
  {
    name: 'find.order',
    description: 'Finds an order.',
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: 'object',
      properties: {
        id: { $ref: '#/$defs/orderId' },
        shop: { type: 'string' },
        // The service does not support look-around.
        note: { type: 'string', pattern: '(?=a)b', description: 'A note.' },
      },
      required: ['id', 'shop'],
      $defs: { orderId: { type: 'string', pattern: '^[0-9]+$' } },
    },
    outputSchema: { type: 'object', properties: { state: { type: 'string' } }, required: ['state'] },
  },
  { name: 'count', description: 'Counts with progress.', inputSchema: NO_ARGUMENTS },
  { name: 'fail', description: 'Fails.', inputSchema: NO_ARGUMENTS },
  { name: 'hang', description: 'Does not respond.', inputSchema: NO_ARGUMENTS },
  { name: 'end', description: 'Ends the call.', inputSchema: NO_ARGUMENTS },
  {
    name: 'transfer',
    description: 'Begins a new stage.',
    inputSchema: { type: 'object', properties: { stage: { type: 'object' } }, required: ['stage'] },
  },
];

const text = (words: string) => [{ type: 'text' as const, text: words }];

export async function callTool(
  { name, arguments: args = {}, _meta }: CallToolRequest['params'],
  { signal, sendNotification }: RequestHandlerExtra<ServerRequest, ServerNotification>,
): Promise<CallToolResult> {
  switch (name) {
    case 'find.order':
      return {
        content: text(`Order ${String(args['id'])} is packed.`),
        structuredContent: { state: 'packed' },
      };
    case 'count':
      for (let progress = 1; progress <= 3; progress += 1) {
        if (_meta?.progressToken === undefined) continue;
        const params = { progressToken: _meta.progressToken, progress, total: 3 };
        await sendNotification({ method: 'notifications/progress', params });
      }
      return { content: [], structuredContent: { counted: 3 } };
    case 'fail':
      return { content: text('The warehouse is closed.'), isError: true };
    case 'hang':
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ content: [] })));
    case 'end':
      return { content: text('Bye.'), _meta: { 'svc/responseType': 'hang-up' } };
    case 'transfer':
      return { content: text(JSON.stringify(args['stage'])), _meta: { 'svc/responseType': 'new-stage' } };
    default:
      throw new Error(`unknown tool ${name}`);
  }
}
