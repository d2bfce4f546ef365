import { AppError } from '@calls/foundation/errors';

/**
 * A request to an MCP server without a usable response: `mcp_timeout`, `mcp_refused`, `mcp_unreachable`,
 * `mcp_response_invalid`, or `mcp_unauthorized` without an access token. Messages may be shown to the owner of the tool
 * and to models.
 */
export class McpError extends AppError {}

export function mcpTimeout(limitMs: number): McpError {
  const message = `the MCP server did not respond within ${limitMs / 1000} s`;
  return new McpError('mcp_timeout', message, { retryable: true });
}
