import { AsyncLocalStorage } from 'node:async_hooks';
import type { FetchLike } from '@modelcontextprotocol/client';
import { abortable } from '@calls/foundation/clock';
import { OutboundError } from '@calls/outbound-http/outbound-error';
import type { OutboundHttp } from '@calls/outbound-http/outbound-http';
import type { OutboundResponse } from '@calls/outbound-http/outbound-response';
import { boundedJson } from './bounded-json.ts';

/** Limits of the requests of one operation on an MCP server. */
export interface OperationLimits {
  timeoutMs: number;
  /** Aborts the requests of the operation. */
  signal: AbortSignal;
}

/** The operation whose requests are being sent. */
export type CurrentOperation = AsyncLocalStorage<OperationLimits>;

/** Maximum size of a response. Parsing more would block the event loop. */
const MAX_RESPONSE_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;
/** Time limit of requests that follow an operation: cancellations and the end of a session. */
const FAREWELL_LIMIT_MS = 2000;
const WITHOUT_BODY = new Set([204, 205, 304]);
const METHODS = ['GET', 'POST', 'DELETE'] as const;

interface Authentication {
  owner: string;
  headers: () => Readonly<Record<string, string>>;
  /** Returns an access token other than the one that the server rejected. Null: requests carry none. */
  accessToken: ((rejected?: string) => Promise<string>) | null;
}

/** The `fetch` of the MCP SDK, over the guarded HTTP client. After a 401, it sends a request again with a new access token. */
export function guardedFetch(
  outbound: OutboundHttp,
  current: CurrentOperation,
  { owner, headers: ownHeaders, accessToken }: Authentication,
): FetchLike {
  return async (url, init = {}) => {
    const method = METHODS.find((each) => each === (init.method ?? 'GET'));
    const headers = Object.fromEntries(new Headers(init.headers));
    if (method === undefined) throw unsupported('method');
    // Servers may send requests and notifications on such a stream. The service has no use for them.
    if (method === 'GET' && headers['last-event-id'] === undefined)
      return new Response(null, { status: 405 });
    if (init.body !== undefined && init.body !== null && typeof init.body !== 'string')
      throw unsupported('body');
    const operation = current.getStore();
    const isOver = operation === undefined || operation.signal.aborted;
    const signals = [init.signal, isOver ? null : operation.signal].filter(
      (each) => each instanceof AbortSignal,
    );
    const signal = AbortSignal.any(signals);
    const { body } = init;
    const send = (token?: string): Promise<OutboundResponse> =>
      outbound.request({
        method,
        url: String(url),
        headers: {
          ...headers,
          ...ownHeaders(),
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        },
        ...(typeof body === 'string' && { body }),
        timeoutMs: isOver ? FAREWELL_LIMIT_MS : operation.timeoutMs,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        maxRedirects: MAX_REDIRECTS,
        signal,
        owner,
      });
    if (!accessToken) return asResponse(await send());
    const token = await abortable(accessToken(), signal);
    const response = await send(token);
    if (response.status !== 401) return asResponse(response);
    response.close();
    return asResponse(await send(await abortable(accessToken(token), signal)));
  };
}

export function asResponse(response: OutboundResponse): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    if (typeof value === 'string') headers.set(name, value);
  }
  const { status } = response;
  if (WITHOUT_BODY.has(status)) {
    response.close();
    return new Response(null, { status, headers });
  }
  return new Response(ReadableStream.from(boundedJson(response.body)), { status, headers });
}

function unsupported(what: string): OutboundError {
  return new OutboundError('outbound_failed', `the ${what} of the request is not supported`, {
    retryable: false,
  });
}
