import { ProtocolError, SdkHttpError } from '@modelcontextprotocol/client';
import { toError } from '@calls/foundation/errors';
import { shortened } from '@calls/foundation/shortened';
import { OutboundError } from '@calls/outbound-http/outbound-error';
import { McpError } from './mcp-error.ts';

const MAX_DETAIL_CHARS = 1000;

/** Converts errors of the MCP SDK and of the guarded HTTP client. */
export function asMcpError(thrown: unknown): McpError {
  if (thrown instanceof McpError) return thrown;
  const error = toError(thrown);
  const known = knownCause(error);
  if (known) return known instanceof McpError ? known : ofOutbound(known);
  if (error instanceof SdkHttpError) {
    const { status, text } = error.data;
    const message = `the MCP server responded with HTTP status ${status}`;
    return invalid(
      typeof text === 'string' && text !== '' ? `${message}: ${shortened(text, MAX_DETAIL_CHARS)}` : message,
      error,
    );
  }
  if (error instanceof ProtocolError) {
    return invalid(
      `the MCP server responded with error ${error.code}: ${shortened(error.message, MAX_DETAIL_CHARS)}`,
      error,
    );
  }
  return invalid(
    `the MCP server's response is invalid: ${shortened(error.message, MAX_DETAIL_CHARS)}`,
    error,
  );
}

function ofOutbound(error: OutboundError): McpError {
  const options = { retryable: error.retryable, cause: error };
  switch (error.code) {
    case 'outbound_timeout':
      return new McpError('mcp_timeout', `the MCP server did not respond: ${error.message}`, options);
    case 'outbound_refused':
      return new McpError(
        'mcp_refused',
        `the URL of the MCP server is not allowed: ${error.message}`,
        options,
      );
    case 'outbound_too_large':
      return new McpError(
        'mcp_response_invalid',
        `the MCP server's response is invalid: ${error.message}`,
        options,
      );
    default:
      return new McpError(
        'mcp_unreachable',
        `no usable response from the MCP server: ${error.message}`,
        options,
      );
  }
}

/** The SDK wraps some errors of its `fetch`. */
function knownCause(error: Error): McpError | OutboundError | null {
  for (
    let each: unknown = error, depth = 0;
    each instanceof Error && depth < 5;
    each = each.cause, depth += 1
  ) {
    if (each instanceof McpError || each instanceof OutboundError) return each;
  }
  return null;
}

function invalid(message: string, cause: Error): McpError {
  return new McpError('mcp_response_invalid', message, { cause });
}
