import { ProviderError } from '@calls/engine-ports/provider-error';
import type { Clock } from '@calls/foundation/clock';
import type { Validator } from '@calls/foundation/schema/validator';
import type { ConnectionPool } from './connection-pool.ts';
import { authorization, endpointUrl, type HttpEndpoint } from './endpoint.ts';
import { HttpExchange, type Deadline } from './exchange.ts';
import { parseFrame } from './json-frame.ts';

const CONNECT_TIMEOUT_MS = 1000;
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

export interface JsonRequest<T> {
  /** Adapter name for errors. */
  provider: string;
  endpoint: HttpEndpoint;
  path: string;
  body: unknown;
  response: Validator<T>;
  /** Texts to remove from error messages, besides the API key. */
  confidential: readonly string[];
  timeoutMs: number;
  /** Message of the error if there is no complete response in time. */
  timeoutMessage: string;
  signal: AbortSignal;
}

/** Sends one `POST` with a JSON body and returns the JSON response. Throws a ProviderError. No retries. */
export async function requestJson<T>(
  deps: { pool: ConnectionPool; clock: Clock },
  {
    provider,
    endpoint,
    path,
    body,
    response,
    confidential,
    timeoutMs,
    timeoutMessage,
    signal,
  }: JsonRequest<T>,
): Promise<T> {
  const deadline: Deadline = { atMs: deps.clock.nowMs() + timeoutMs, message: timeoutMessage };
  const exchange = new HttpExchange(deps, {
    provider,
    url: endpointUrl(endpoint, path),
    headers: { 'content-type': 'application/json', accept: 'application/json', ...authorization(endpoint) },
    body: [Buffer.from(JSON.stringify(body))],
    confidential: [endpoint.apiKey ?? '', ...confidential],
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    signal,
  });
  try {
    await exchange.head(deadline);
    return parseFrame(provider, response, await readAll(provider, exchange, deadline));
  } finally {
    exchange.close();
  }
}

async function readAll(provider: string, exchange: HttpExchange, deadline: Deadline): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (let part = await exchange.read(deadline); part !== null; part = await exchange.read(deadline)) {
    bytes += part.length;
    if (bytes > MAX_RESPONSE_BYTES)
      throw new ProviderError(provider, 'malformed', 'the response is too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
