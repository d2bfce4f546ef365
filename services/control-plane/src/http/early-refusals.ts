import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ApiError } from '@calls/api-contract/rest/common';

/** Responses to requests that are rejected before routing. */
const REFUSALS = {
  malformed: [400, 'malformed_request', 'The request is malformed.'],
  no_host: [400, 'malformed_request', 'The request has no Host header.'],
  timeout: [408, 'request_timeout', 'The request took too long to arrive.'],
  extensions: [413, 'too_large', 'The chunk extensions of the request body are too large.'],
  expectation: [417, 'expectation_failed', 'The only supported expectation is 100-continue.'],
  headers: [431, 'headers_too_large', 'The request headers must be at most 16 KiB.'],
} as const satisfies Record<string, readonly [number, string, string]>;
export type EarlyRefusal = keyof typeof REFUSALS;

/** How long a client may take to send the rest of a request that is already refused. */
export const REFUSAL_LINGER_MS = 2000;

/** Looks up a refusal by the error code of Node's HTTP parser. */
export function refusalOf(code: string | undefined): EarlyRefusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 'headers';
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'extensions';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'timeout';
    default:
      return 'malformed';
  }
}

/** Responds to a request that could be parsed, and closes its connection. */
export function refuseRequest(response: ServerResponse, refusal: EarlyRefusal): void {
  const { status, headers, body } = responseOf(refusal);
  response.writeHead(status, headers).end(body);
}

const refused = new WeakSet<Socket>();

/**
 * Responds on a connection whose request could not be parsed, and closes it. Received bytes are dropped for a moment,
 * so that the sender can read the response.
 */
export function refuseConnection(socket: Socket, refusal: EarlyRefusal): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  const { status, headers, body } = responseOf(refusal);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  const timer = setTimeout(() => socket.destroy(), REFUSAL_LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

function responseOf(refusal: EarlyRefusal) {
  const [status, code, detail] = REFUSALS[refusal];
  const body = JSON.stringify({ detail, code } satisfies ApiError);
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  };
  return { status, headers, body };
}
