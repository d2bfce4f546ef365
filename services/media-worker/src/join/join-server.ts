import type { JoinTokens } from '@calls/join-token';
import { listen, toError, type Clock, type Logger } from '@calls/foundation';
import { MAX_FRAME_BYTES, ServerWebSocketTransport } from '@calls/transports';
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { CallRegistry } from '../calls/call-registry.ts';

/** Close codes of refused joins (protocol.md, Joining). */
const CLOSE_CODES = { bad_token: 4401, unknown_call: 4404, already_joined: 4409, no_capacity: 4503 } as const;

/** How long a client that is faster than the bus waits for its call to arrive here. */
const CALL_WAIT_MS = 5000;
/** Sockets that have not joined a call yet. */
const MAX_UNJOINED_SOCKETS = 500;
const MAX_CLIENT_VERSION_LENGTH = 128;

export interface JoinServerOptions {
  port: number;
  tokens: JoinTokens;
  calls: CallRegistry;
  /** Whether this worker would take another call: what a client whose call isn't here is told. */
  hasRoom: () => boolean;
  clock: Clock;
  log: Logger;
}

export interface JoinServer extends AsyncDisposable {
  readonly port: number;
}

/** Serves `/join/{callId}?token=…`: checks the token, finds the call, hands the socket to it. */
export async function startJoinServer(options: JoinServerOptions): Promise<JoinServer> {
  const { log } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  });
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 10_000, keepAliveTimeout: 5000 },
    (request, response) => {
      const ok = request.url === '/healthz';
      const body = ok
        ? { status: 'ok' }
        : { detail: 'calls are joined here by WebSocket', code: 'upgrade_required' };
      response.writeHead(ok ? 200 : 426, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    },
  );
  let unjoined = 0;
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const url = readUrl(request.url);
    const callId = url && /^\/join\/([0-9a-f-]{36})$/u.exec(url.pathname)?.[1];
    if (!url || !callId || unjoined >= MAX_UNJOINED_SOCKETS) {
      stream.end(
        `HTTP/1.1 ${callId ? '503 Service Unavailable' : '404 Not Found'}\r\nConnection: close\r\n\r\n`,
      );
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      unjoined += 1;
      join(options, socket, callId, url.searchParams)
        .catch((thrown: unknown) => {
          log.error({ callId, err: toError(thrown) }, 'a join failed');
          socket.close(1011);
        })
        .finally(() => {
          unjoined -= 1;
        });
    });
  });
  const port = await listen(server, { port: options.port, variable: 'MEDIA_PORT' });
  return {
    port,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets.clients) socket.terminate();
        sockets.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function join(
  { tokens, calls, hasRoom, clock, log }: JoinServerOptions,
  socket: WebSocket,
  callId: string,
  query: URLSearchParams,
): Promise<void> {
  const early = holdEarlyMessages(socket);
  const refuse = (why: keyof typeof CLOSE_CODES): void => {
    early.release();
    log.info({ callId, why }, 'join refused');
    socket.close(CLOSE_CODES[why], why);
  };
  const claims = await tokens.verify(query.get('token') ?? '');
  if (claims?.callId !== callId) {
    refuse('bad_token');
    return;
  }
  const call = await calls.find(callId, CALL_WAIT_MS);
  if (socket.readyState !== socket.OPEN) {
    early.release();
    return;
  }
  if (!call) {
    refuse(hasRoom() ? 'unknown_call' : 'no_capacity');
    return;
  }
  if (call.isJoined) {
    refuse('already_joined');
    return;
  }
  const transport = new ServerWebSocketTransport({ socket, spec: call.spec.medium, clock });
  early.release();
  const clientVersion = query.get('clientVersion')?.slice(0, MAX_CLIENT_VERSION_LENGTH) ?? null;
  if (!call.join(transport, clientVersion)) await transport.close('unjoined');
}

/**
 * What a client sends before its call is found must not get lost: the stream is paused until somebody listens. Errors are
 * taken here so that a bad frame can't bring the process down.
 */
function holdEarlyMessages(socket: WebSocket): { release: () => void } {
  const ignore = (): void => undefined;
  socket.on('error', ignore);
  socket.pause();
  return {
    release: () => {
      socket.resume();
    },
  };
}

function readUrl(target: string | undefined): URL | null {
  return URL.canParse(target ?? '', 'http://join') ? new URL(target ?? '', 'http://join') : null;
}
