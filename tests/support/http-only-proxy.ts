import { createServer, request } from 'node:http';
import { closeServer } from '@calls/foundation/listen';
import { listenOnLoopback } from '@calls/testkit/listen-on-loopback';

/**
 * A reverse proxy without WebSocket support, a common misconfiguration: it forwards upgrade requests as ordinary
 * requests.
 */
export async function startHttpOnlyProxy(target: URL): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer((incoming, response) => {
    const { upgrade: _upgrade, connection: _connection, ...headers } = incoming.headers;
    const outgoing = request({
      host: target.hostname,
      port: target.port,
      method: incoming.method,
      path: incoming.url,
      headers,
    });
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.writeHead(502).end());
    incoming.pipe(outgoing);
  });
  return { port: await listenOnLoopback(server), [Symbol.asyncDispose]: () => closeServer(server) };
}
