import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { toError } from '@calls/foundation/errors';
import { closeServer } from '@calls/foundation/listen';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';
import type { ProviderKeys } from './accounts.ts';
import { orderValidator } from './control.ts';
import { Exchange } from './exchange.ts';
import { json, type ApiResponse } from './provider.ts';

export interface ExchangeServer extends AsyncDisposable {
  port: number;
  exchange: Exchange;
}

/** Serves the APIs of all providers on one port, as their paths differ, and `/control` for tests. */
export async function listen(keys: ProviderKeys): Promise<ExchangeServer> {
  const exchange = new Exchange(keys);
  const answer = async (request: IncomingMessage): Promise<ApiResponse> => {
    const { pathname } = new URL(request.url ?? '', 'http://exchange');
    const body = await text(request);
    if (pathname === '/control') return exchange.obey(orderValidator.parse(JSON.parse(body)));
    const { method } = request;
    if (method !== 'POST' && method !== 'DELETE') return json(405, { detail: 'Method Not Allowed' });
    const response = exchange.api({
      method,
      path: pathname,
      authorization: request.headers.authorization ?? '',
      parameters: parametersOf(request.headers['content-type'] ?? '', body),
    });
    return response ?? json(404, { detail: 'Not Found' });
  };
  const server = createServer((request, response) => {
    answer(request)
      .catch((thrown: unknown) => json(500, { error: toError(thrown).message }))
      .then(({ status, contentType, body }) =>
        response.writeHead(status, { 'content-type': contentType }).end(body),
      )
      .catch(() => response.destroy());
  });
  return {
    port: await listenOnLoopback(server),
    exchange,
    [Symbol.asyncDispose]() {
      exchange[Symbol.dispose]();
      return closeServer(server);
    },
  };
}

/** Parses parameters of a form. A repeated name has an array of values. */
function parametersOf(contentType: string, body: string): Record<string, unknown> {
  if (contentType.startsWith('application/json'))
    return body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
  const form = new URLSearchParams(body);
  return Object.fromEntries(
    [...new Set(form.keys())].map((name) => {
      const values = form.getAll(name);
      return [name, values.length > 1 ? values : values[0]];
    }),
  );
}
