import { listen, type ListenOptions } from '@calls/foundation/listen';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuseConnection, refuseRequest, refusalOf } from './early-refusals.ts';

export interface HttpServer extends AsyncDisposable {
  readonly port: number;
}

export interface HttpLimits {
  /** Time limits for the headers and for the whole request. */
  headersMs: number;
  requestMs: number;
  /** Longer than load balancers keep idle connections open, so that they, not the server, close them. */
  idleMs: number;
  /** Maximum number of connections; further ones are closed immediately. */
  connections: number;
}

/** A body of 10 MiB within the 120 s needs 0.7 Mbit/s. */
const LIMITS: HttpLimits = { headersMs: 10_000, requestMs: 120_000, idleMs: 75_000, connections: 10_000 };
const STOP_LIMIT_MS = 8000;
/** How often Node checks the time limits, and so their precision. */
const CHECK_EVERY_MS = 2000;

/**
 * Starts listening; port 0 uses a free port. Disposal lets running requests finish and closes each connection after its
 * response.
 */
export async function startHttpServer(
  handler: RequestListener,
  options: ListenOptions & { limits?: HttpLimits },
): Promise<HttpServer> {
  const { limits = LIMITS, ...listening } = options;
  let stopping = false;
  const running = new Set<ServerResponse>();
  /** Connections without a request so far; Node does not count them as idle. */
  const fresh = new Set<Socket>();
  /** The current or last response of each connection. */
  const current = new WeakMap<Socket, ServerResponse>();
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    fresh.delete(request.socket);
    current.set(request.socket, response);
    running.add(response);
    response.once('close', () => running.delete(response));
    if (stopping) response.setHeader('Connection', 'close');
  };
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, limits.headersMs),
    },
    (request, response) => {
      begin(request, response);
      if (request.headers.host === undefined && request.httpVersion === '1.1')
        refuseRequest(response, 'no_host');
      else handler(request, response);
    },
  );
  server.on('checkExpectation', (request, response) => {
    begin(request, response);
    refuseRequest(response, 'expectation');
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = current.get(socket);
    const isBusy = response?.headersSent === true && !response.writableFinished;
    if (isBusy || !socket.writable) socket.destroy();
    else refuseConnection(socket, refusalOf(error.code));
  });
  server.maxConnections = limits.connections;
  server.on('connection', (socket: Socket) => {
    fresh.add(socket);
    socket.once('close', () => fresh.delete(socket));
  });
  const takenPort = await listen(server, listening);
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
