import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { toError } from '@calls/foundation/errors';
import { closeServer } from '@calls/foundation/listen';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  isInitializeRequest,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AuthorizationServer, type OAuthOptions } from './authorization-server.ts';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';
import { callTool, TOOLS } from './tools.ts';

/** Requests that the server received. */
export interface SeenByMcpServer {
  sessionsOpened: number;
  /** Sessions that clients ended. */
  sessionsEnded: number;
  lists: number;
  calls: { name: string; arguments: unknown; isSigned: boolean }[];
  /** Names of tools whose calls were cancelled. */
  cancelled: string[];
  /** Form parameters of token requests, without client credentials. */
  tokenRequests: Record<string, string>[];
}

/**
 * A customer MCP server, built with the official SDK. Requests require `Authorization: Bearer <token>`, or an access
 * token of its own authorization server if that has a client.
 */
export async function listen({
  token,
  oauth,
}: {
  token: string;
  oauth?: OAuthOptions;
}): Promise<AsyncDisposable & { port: number }> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const seen: SeenByMcpServer = {
    ...{ sessionsOpened: 0, sessionsEnded: 0, lists: 0, calls: [], cancelled: [] },
    tokenRequests: [],
  };
  const authorization = oauth && new AuthorizationServer(oauth, seen.tokenRequests);

  const openSession = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        seen.sessionsOpened += 1;
        sessions.set(id, transport);
      },
      onsessionclosed: (id) => {
        seen.sessionsEnded += 1;
        sessions.delete(id);
      },
    });
    // The tool registry of McpServer does not accept JSON Schemas.
    const { server } = new McpServer({ name: 'shop', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => {
      seen.lists += 1;
      return { tools: TOOLS };
    });
    server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
      const { name, arguments: args } = params;
      const isSigned = extra.requestInfo?.headers['x-svc-signature'] !== undefined;
      seen.calls.push({ name, arguments: args, isSigned });
      extra.signal.addEventListener('abort', () => seen.cancelled.push(name));
      return callTool(params, extra);
    });
    await server.connect(transport);
    return transport;
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/-/seen') {
      response.end(JSON.stringify(seen));
      return;
    }
    if (request.url === '/-/expire') {
      sessions.clear();
      response.end();
      return;
    }
    if (authorization) {
      const isHandled = await authorization.handle(request, response);
      if (isHandled) return;
    } else if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end('a token is required');
      return;
    }
    const body = request.method === 'POST' ? await json(request) : undefined;
    const id = request.headers['mcp-session-id'];
    const transport =
      typeof id === 'string' ? sessions.get(id) : isInitializeRequest(body) ? await openSession() : null;
    if (transport) await transport.handleRequest(request, response, body);
    else response.writeHead(transport === undefined ? 404 : 400).end('no such session');
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((thrown: unknown) => response.writeHead(500).end(toError(thrown).message));
  });
  return { port: await listenOnLoopback(server), [Symbol.asyncDispose]: () => closeServer(server) };
}
