import { listen } from '@calls/foundation';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface HttpServer extends AsyncDisposable {
  readonly port: number;
}

/** Slow clients are cut off after these. */
const HEADERS_LIMIT_MS = 10_000;
/** 10 MiB of a file at 0.7 Mbit/s. */
const REQUEST_LIMIT_MS = 120_000;
/** Longer than load balancers keep an idle connection, so that it is they who close it. */
const KEEP_ALIVE_MS = 75_000;
const STOP_LIMIT_MS = 8000;

/** Listens; port 0 takes a free one. Disposal lets running requests finish, each connection closing after its answer. */
export async function startHttpServer(
  handler: RequestListener,
  { port, isShared }: { port: number; isShared: boolean },
): Promise<HttpServer> {
  let stopping = false;
  const running = new Set<ServerResponse>();
  /** Without a request so far; Node doesn't count them as idle. */
  const fresh = new Set<Socket>();
  const server = createServer(
    {
      headersTimeout: HEADERS_LIMIT_MS,
      requestTimeout: REQUEST_LIMIT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 2000,
    },
    (request, response) => {
      fresh.delete(request.socket);
      running.add(response);
      response.once('close', () => running.delete(response));
      if (stopping) response.setHeader('Connection', 'close');
      handler(request, response);
    },
  );
  server.on('connection', (socket: Socket) => {
    fresh.add(socket);
    socket.once('close', () => fresh.delete(socket));
  });
  const takenPort = await listen(server, { port, variable: 'PORT', isShared });
  return {
    port: takenPort,
    async [Symbol.asyncDispose]() {
      stopping = true;
      for (const response of running) if (!response.headersSent) response.setHeader('Connection', 'close');
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      for (const socket of fresh) socket.destroy();
      const limit = setTimeout(() => server.closeAllConnections(), STOP_LIMIT_MS);
      await closed;
      clearTimeout(limit);
    },
  };
}
