import { readMessageSwitches } from '@calls/api-contract/data-messages/server-messages';
import type { JoinTokens } from '@calls/secrets/join-tokens/join-tokens';
import type { LegClaims, LegTokens } from '@calls/secrets/join-tokens/leg-tokens';
import type { SupervisorClaims, SupervisorTokens } from '@calls/secrets/join-tokens/supervisor-tokens';
import type { Clock } from '@calls/foundation/clock';
import { toError } from '@calls/foundation/errors';
import { closeServer, listen } from '@calls/foundation/listen';
import type { Logger } from '@calls/foundation/logger';
import { MAX_FRAGMENTS, MAX_FRAME_BYTES } from '@calls/transports/client-socket/client-socket';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { closeInTurn } from '../calls/drain-pace.ts';
import type { Holder } from '@calls/bus/leases';
import type { HostedCall } from '../calls/hosted-call.ts';
import { SupervisorSocket } from '../supervision/supervisor-socket.ts';
import type { PhoneLegs } from '../transfers/phone-legs.ts';
import { clientSupports, withSwitches, type ClientMedia } from './client-media.ts';
import { connectClient } from './connect-client.ts';
import { CLOSE_CODES, refuseUpgrade, type JoinRejection, type OnJoin } from './join-outcome.ts';
import { joinTarget, readUrl, type JoinTarget } from './join-target.ts';
import { destroyOnDisconnect } from './client-disconnect.ts';
import type { CallFinder, CallLocation } from './find-call.ts';
import { forwardConnection } from './forward-connection.ts';
import {
  clientAddress,
  UnauthenticatedConnections,
  type UnauthenticatedLimits,
} from './unauthenticated-connections.ts';
import type { WhipEndpoint } from './whip-endpoint.ts';

/** Time limit for the headers of a request, and the interval of its check. */
const HEADERS_LIMIT_MS = 10_000;
const CHECK_EVERY_MS = 2000;
/** Maximum number of connections, including those that are forwarded; further ones are closed immediately. */
const MAX_CONNECTIONS = 20_000;
/** Limits of connections without a valid token. They allow a burst of clients behind one address. */
const UNAUTHENTICATED_LIMITS: UnauthenticatedLimits = { perNetwork: 500, overall: 5000 };
const SOCKET_OPTIONS = {
  noServer: true,
  maxPayload: MAX_FRAME_BYTES,
  maxFragments: MAX_FRAGMENTS,
  perMessageDeflate: false,
  /** How long a client may take to close the connection after its close frame. Then the call ends. */
  closeTimeout: 2000,
};
/** Time for the close handshake with a rejected client. */
export const REFUSAL_LINGER_MS = 1000;
/** Maximum number of connections that have not joined a call yet. */
const MAX_UNJOINED = 500;
/** Maximum number of connections that are forwarded to other workers. */
const MAX_FORWARDED = 5000;

export interface JoinServerOptions {
  tokens: JoinTokens;
  supervisorTokens: Pick<SupervisorTokens, 'verify'>;
  legTokens: Pick<LegTokens, 'verify'>;
  phoneLegs: Pick<PhoneLegs, 'connect'>;
  media: ClientMedia;
  whip: Pick<WhipEndpoint, 'handle'>;
  /** A client was rejected because no slot was free. */
  onNoCapacity: (callId: string) => void;
  onJoin: OnJoin;
  /** Number of proxies that append to `X-Forwarded-For`. */
  trustedProxies: number;
  clock: Clock;
  log: Logger;
}

/**
 * Serves `/join/{callId}?token=…`, `/join/{callId}/{token}` for providers that drop the query,
 * `/supervise/{callId}?token=…` for supervisors, and `/person/{callId}/{token}` for the people of warm transfers. Checks the
 * token, finds the call, and passes the connection to the call or to the worker that runs it.
 */
export class JoinServer implements AsyncDisposable {
  readonly #options: JoinServerOptions;
  readonly #public: Server;
  readonly #peers: Server;
  readonly #sockets = new WebSocketServer(SOCKET_OPTIONS);
  /** Connections that are forwarded to other workers. */
  readonly #forwarded = new Map<Duplex, { workerId: string; closed: Promise<unknown> }>();
  readonly #connections = new Set<Duplex>();
  readonly #unauthenticated = new UnauthenticatedConnections(UNAUTHENTICATED_LIMITS);
  #finder: Pick<CallFinder, 'find'> | null = null;
  #unjoined = 0;

  constructor(options: JoinServerOptions) {
    this.#options = options;
    this.#public = this.#createServer(true);
    this.#peers = this.#createServer(false);
  }

  /**
   * Listens for joins that other workers forward; returns the port. Called before the client ports open, because the
   * announcement contains it.
   */
  listenToPeers(port: number): Promise<number> {
    return listen(this.#peers, { port, variable: 'WORKER_PORT' });
  }

  /** `isShared`: other workers of this machine listen on the same port. Returns the port. */
  listenToClients(
    finder: Pick<CallFinder, 'find'>,
    { port, isShared }: { port: number; isShared: boolean },
  ): Promise<number> {
    this.#finder = finder;
    return listen(this.#public, { port, variable: 'MEDIA_PORT', isShared });
  }

  /** Stops accepting clients. Connected clients and other workers are still served. */
  stopListening(): void {
    this.#public.close();
    this.#public.closeIdleConnections();
  }

  /** Cuts the connections that are forwarded to a worker that died or froze, so that their clients reconnect. */
  workerLost(workerId: string): void {
    for (const [client, forwarded] of this.#forwarded) if (forwarded.workerId === workerId) client.destroy();
  }

  /** Resolves when no forwarded connection is left. Those that are left towards `limitMs` are closed: clients reconnect. */
  closeForwarded(limitMs: number): Promise<void> {
    return closeInTurn(this.#forwarded, limitMs, this.#options.clock);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
    for (const connection of this.#connections) connection.destroy();
    await Promise.all([this.#public, this.#peers].map(closeServer));
  }

  #createServer(mayForward: boolean): Server {
    const server = createServer(
      {
        headersTimeout: HEADERS_LIMIT_MS,
        requestTimeout: HEADERS_LIMIT_MS,
        keepAliveTimeout: 5000,
        connectionsCheckingInterval: CHECK_EVERY_MS,
      },
      (request, response) => {
        const url = readUrl(request.url);
        const { whip } = this.#options;
        const onAllowed = (): void => this.#unauthenticated.leave(request.socket);
        if (url && whip.handle(request, response, { url, finder: this.#finder, mayForward, onAllowed }))
          return;
        const ok = request.url === '/healthz';
        const body = ok
          ? { status: 'ok' }
          : {
              detail: 'join calls by WebSocket, or by POST of an SDP offer',
              code: 'upgrade_required',
            };
        const headers = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' };
        if (ok) response.writeHead(200, headers);
        else response.writeHead(426, { ...headers, upgrade: 'websocket' });
        response.end(JSON.stringify(body));
      },
    );
    server.maxConnections = MAX_CONNECTIONS;
    // Behind a proxy, the address is known only after the headers.
    if (mayForward && this.#options.trustedProxies === 0) {
      server.on('connection', (socket) => {
        this.#unauthenticated.enter(socket, socket.remoteAddress ?? '');
      });
    }
    server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) =>
      this.#onUpgrade(request, stream, head, mayForward),
    );
    return server;
  }

  #onUpgrade(request: IncomingMessage, stream: Duplex, head: Buffer, mayForward: boolean): void {
    // An error only ends its connection.
    stream.on('error', () => stream.destroy());
    const target = joinTarget(request.url);
    if (!target) return refuseUpgrade(stream, '404 Not Found');
    const { callId } = target;
    if (mayForward) this.#unauthenticated.enter(stream, clientAddress(request, this.#options.trustedProxies));
    if (!this.#finder || this.#unjoined >= MAX_UNJOINED)
      return refuseUpgrade(stream, '503 Service Unavailable');
    this.#unjoined += 1;
    this.#connections.add(stream);
    stream.once('close', () => this.#connections.delete(stream));
    const client = { ...target, request, stream, head, mayForward };
    this.#join(client, this.#finder)
      .catch((thrown: unknown) => {
        this.#options.log.error({ callId, err: toError(thrown) }, 'join failed');
        stream.destroy();
      })
      .finally(() => {
        this.#unjoined -= 1;
      });
  }

  async #join(client: Client, finder: Pick<CallFinder, 'find'>): Promise<void> {
    const { clock, log } = this.#options;
    const { callId, stream, purpose } = client;
    const serve = await this.#permitted(client);
    if (!serve) {
      this.#refuse(client, 'bad_token');
      return;
    }
    this.#unauthenticated.leave(stream);
    const startedMs = clock.nowMs();
    const stopWatching = destroyOnDisconnect(stream);
    const found = await this.#find(finder, client).finally(stopWatching);
    if (stream.destroyed) {
      const afterMs = Math.round(clock.nowMs() - startedMs);
      log.info({ callId, found: found.kind, afterMs }, 'client left before its call was located');
      return;
    }
    if (found.kind === 'here') serve(found.call);
    else if (found.kind === 'there' && client.mayForward) await this.#forward(client, found.holder);
    else if (found.kind === 'there') {
      // The call has moved since the other worker looked it up; the client's next attempt finds it.
      const text =
        'rejected forwarded join: call is on another worker; if this repeats, two workers have the same WORKER_URL';
      log.warn({ callId, holder: found.holder }, text);
      this.#refuse(client, 'no_capacity');
    } else {
      if (found.reason === 'no_capacity' && purpose === 'join') this.#options.onNoCapacity(callId);
      this.#refuse(client, found.reason);
    }
  }

  /** What the client's token permits on its call; null if it is not valid. */
  async #permitted(client: Client): Promise<((call: HostedCall) => void) | null> {
    const { tokens, supervisorTokens, legTokens } = this.#options;
    const { callId, token } = client;
    switch (client.purpose) {
      case 'join': {
        const claims = await tokens.verify(token);
        return claims?.callId === callId ? (call) => this.#serve(client, call) : null;
      }
      case 'supervise': {
        const claims = supervisorTokens.verify(token);
        return claims?.callId === callId ? (call) => this.#supervise(client, call, claims) : null;
      }
      case 'person': {
        const claims = legTokens.verify(token);
        return claims?.callId === callId ? () => this.#connectPerson(client, claims) : null;
      }
    }
  }

  /** Takes over a call without a worker only for its client. */
  async #find(finder: Pick<CallFinder, 'find'>, { callId, stream, purpose }: Client): Promise<CallLocation> {
    try {
      return await finder.find(callId, () => purpose !== 'join' || stream.destroyed);
    } catch (thrown) {
      this.#options.log.warn({ callId, err: toError(thrown) }, 'failed to locate call');
      return { kind: 'nowhere', reason: 'no_capacity' };
    }
  }

  #serve(client: Client, call: HostedCall): void {
    const { media, onJoin, log } = this.#options;
    const { callId, deadlineMs, spec } = call;
    if (!clientSupports(spec.medium, client.query)) return this.#refuse(client, 'other_medium');
    if (call.isJoined) {
      call.checkClient();
      return this.#refuse(client, 'already_joined');
    }
    if (!call.takeJoinAttempt()) return this.#refuse(client, 'too_many_joins');
    const switches = readMessageSwitches(client.query);
    const connection = { callId, deadlineMs, spec: { medium: withSwitches(spec.medium, switches) } };
    this.#upgrade(client, (socket) => {
      const onUnusable = (detail: string): void => {
        log.warn(
          { callId, medium: spec.medium.kind, reason: detail },
          'closed media stream of call: format not supported',
        );
        call.mediumUnusable(detail);
      };
      connectClient({
        ...{ call, switches, onJoin, log, query: client.query, by: spec.medium.kind },
        setUp: media.open(connection, socket, onUnusable),
        onRefused: (reason) => socket.close(CLOSE_CODES[reason], reason),
        onFailed: () => socket.terminate(),
      });
    });
  }

  #supervise(client: Client, call: HostedCall, claims: SupervisorClaims): void {
    const { clock, onJoin } = this.#options;
    if (!call.takeJoinAttempt()) return this.#refuse(client, 'too_many_joins');
    this.#upgrade(client, (socket) => {
      const rejection = SupervisorSocket.serve(call, { socket, claims, clock });
      onJoin(rejection ?? 'supervised');
      if (rejection) socket.close(CLOSE_CODES[rejection], rejection);
    });
  }

  #connectPerson(client: Client, claims: LegClaims): void {
    const { phoneLegs, onJoin } = this.#options;
    this.#upgrade(client, (socket) => {
      if (phoneLegs.connect(claims, socket)) return onJoin('person');
      // The transfer is over.
      onJoin('unknown_call');
      socket.on('error', () => undefined);
      socket.close(CLOSE_CODES.unknown_call, 'unknown_call');
    });
  }

  async #forward(client: Client, { workerId, url }: Holder): Promise<void> {
    const { log, onJoin } = this.#options;
    if (this.#forwarded.size >= MAX_FORWARDED) {
      this.#refuse(client, 'no_capacity');
      return;
    }
    const { request, stream, head, callId } = client;
    try {
      const { ended } = await forwardConnection(request, stream, head, url);
      onJoin('forwarded');
      const closed = ended.finally(() => this.#forwarded.delete(stream));
      this.#forwarded.set(stream, { workerId, closed });
    } catch (thrown) {
      log.error({ callId, err: toError(thrown) }, 'failed to reach the worker of a call at its WORKER_URL');
      this.#refuse(client, 'no_capacity');
    }
  }

  #refuse(client: Client, reason: JoinRejection): void {
    const { clock, log, onJoin } = this.#options;
    log.info({ callId: client.callId, reason }, 'join refused');
    onJoin(reason);
    this.#upgrade(client, (socket) => {
      socket.on('error', () => undefined);
      const linger = clock.setTimer(REFUSAL_LINGER_MS, () => socket.terminate());
      socket.once('close', () => linger.cancel());
      socket.close(CLOSE_CODES[reason], reason);
    });
  }

  #upgrade({ request, stream, head }: Client, then: (socket: WebSocket) => void): void {
    if (!stream.destroyed) this.#sockets.handleUpgrade(request, stream, head, then);
  }
}

interface Client extends JoinTarget {
  request: IncomingMessage;
  stream: Duplex;
  head: Buffer;
  /** Whether this worker may forward the connection. False if another worker has forwarded it. */
  mayForward: boolean;
}
