import type { CallToolSpec } from '@calls/api-contract/call-spec';
import type { McpSessions, ToolServices } from '../ports/tools.ts';
import type { ToolArguments } from './tool-arguments.ts';
import { mcpToolResponse, type ToolResponse } from './tool-response.ts';

interface OwningCall {
  callId: string;
  accountId: string;
  sharedSecrets: readonly string[];
}

/** Calls the MCP tools of one call. */
export class McpTools {
  readonly #call: OwningCall;
  readonly #services: Pick<ToolServices, 'mcp' | 'signatureHeaders'>;
  /** Null until the first call of a tool, and after `close`. */
  #sessions: McpSessions | null = null;

  constructor(call: OwningCall, services: Pick<ToolServices, 'mcp' | 'signatureHeaders'>) {
    this.#call = call;
    this.#services = services;
  }

  async call(
    { name, definition: { mcp }, auth }: CallToolSpec,
    parameters: ToolArguments,
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<ToolResponse & { issues: string[] }> {
    if (mcp?.toolName === undefined) throw new Error(`tool ${name} is not a tool of an MCP server`);
    const { callId, accountId, sharedSecrets } = this.#call;
    const url = new URL(mcp.url);
    for (const [param, token] of Object.entries(auth.queryParams)) url.searchParams.set(param, token);
    this.#sessions ??= this.#services.mcp({
      accountId,
      signatureHeaders: () => this.#services.signatureHeaders(callId, sharedSecrets),
    });
    const result = await this.#sessions.call(
      {
        url: url.href,
        auth,
        toolName: mcp.toolName,
        arguments: parameters,
      },
      options,
    );
    return mcpToolResponse(result);
  }

  close(): void {
    this.#sessions?.close();
    this.#sessions = null;
  }
}
