import { McpError } from './mcp-error.ts';

/**
 * Maximum number of objects and lists in one response. The SDK validates each of them; more would block the event loop.
 */
const MAX_CONTAINERS = 5000;
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = [0x7b, 0x5b];
const CLOSING = [0x7d, 0x5d];
const LINE_ENDS = [0x0a, 0x0d];

/**
 * Passes on the bytes of JSON, or of events with JSON, up to these limits. Strings end with the line, because JSON escapes
 * line breaks in strings. Malformed JSON is left to its parser.
 */
export async function* boundedJson(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let containers = 0;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  for await (const chunk of bytes) {
    for (const byte of chunk) {
      if (LINE_ENDS.includes(byte)) isInString = false;
      else if (isInString) {
        if (byte === QUOTE && !isEscaped) isInString = false;
        isEscaped = byte === BACKSLASH && !isEscaped;
      } else if (byte === QUOTE) isInString = true;
      else if (OPENING.includes(byte)) {
        containers += 1;
        depth += 1;
        if (containers > MAX_CONTAINERS) throw tooLarge(`has more than ${MAX_CONTAINERS} objects and lists`);
        if (depth > MAX_DEPTH) throw tooLarge(`is nested more than ${MAX_DEPTH} levels deep`);
      } else if (CLOSING.includes(byte)) depth -= 1;
    }
    yield chunk;
  }
}

function tooLarge(problem: string): McpError {
  return new McpError('mcp_response_invalid', `the MCP server's response ${problem}`);
}
