import { ProviderError } from '@calls/engine-ports/provider-error';
import type { Clock } from '@calls/foundation/clock';
import type { Validator } from '@calls/foundation/schema/validator';
import type { ConnectionPool } from './connection-pool.ts';
import { authorization, endpointUrl, type HttpEndpoint } from './endpoint.ts';
import { HttpExchange, type Deadline } from './exchange.ts';
import { parseFrame } from './json-frame.ts';

const CONNECT_TIMEOUT_MS = 1000;
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

interface ForJson<T> {
  /** Adapter name for errors. */
  provider: string;
  endpoint: HttpEndpoint;
  path: string;
  response: Validator<T>;
  /** Texts to remove from error messages, besides the endpoint's API key. */
  confidential: readonly string[];
  timeoutMs: number;
  /** Message of the error if there is no complete response in time. */
  timeoutMessage: string;
  signal: AbortSignal;
}

export interface JsonRequest<T> extends ForJson<T> {
  body: unknown;
}

/** A body of any type, with the header `content-type`. */
export interface BytesRequest<T> extends ForJson<T> {
  headers: Readonly<Record<string, string>>;
  body: readonly Uint8Array[];
  maxResponseBytes?: number;
  connectTimeoutMs?: number;
  /** Uses a new connection, so that the request is never sent a second time. */
  sentOnce?: boolean;
}

interface Deps {
  pool: ConnectionPool;
  clock: Clock;
}

/** Sends one `POST` with a JSON body and returns the JSON response. Throws a ProviderError. No retries. */
export function requestJson<T>(deps: Deps, { body, ...request }: JsonRequest<T>): Promise<T> {
  return sendForJson(deps, {
    ...request,
    headers: { 'content-type': 'application/json' },
    body: [Buffer.from(JSON.stringify(body))],
  });
}

/** Sends one `POST` and returns the JSON response. Throws a ProviderError. No retries. */
export async function sendForJson<T>(
  deps: Deps,
  {
    maxResponseBytes = MAX_RESPONSE_BYTES,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    sentOnce = false,
    ...request
  }: BytesRequest<T>,
): Promise<T> {
  const { provider, endpoint, timeoutMs, timeoutMessage } = request;
  const deadline: Deadline = { atMs: deps.clock.nowMs() + timeoutMs, message: timeoutMessage };
  const confidential = [endpoint.apiKey ?? '', ...request.confidential];
  const exchange = new HttpExchange(deps, {
    provider,
    url: endpointUrl(endpoint, request.path),
    headers: { accept: 'application/json', ...authorization(endpoint), ...request.headers },
    body: request.body,
    confidential,
    connectTimeoutMs,
    signal: request.signal,
    sentOnce,
  });
  try {
    await exchange.head(deadline);
    const text = await readAll(provider, exchange, deadline, maxResponseBytes);
    return parseFrame(provider, request.response, text, confidential);
  } finally {
    exchange.close();
  }
}

async function readAll(
  provider: string,
  exchange: HttpExchange,
  deadline: Deadline,
  maxBytes: number,
): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (let part = await exchange.read(deadline); part !== null; part = await exchange.read(deadline)) {
    bytes += part.length;
    if (bytes > maxBytes) throw new ProviderError(provider, 'malformed', 'the response is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
