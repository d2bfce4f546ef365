import type { Socket } from 'node:net';
import type { Clock, Timer } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { SipError, type SipSource } from '../calls.ts';
import type { SipLimits } from '../endpoint-options.ts';
import { StreamFramer } from './stream-framer.ts';
import { peerKey, type MessageTransportHandlers } from './message-transport.ts';

/** Time limit of a connection attempt, with the TLS handshake. */
export const CONNECT_LIMIT_MS = 10_000;
/** Idle time before a connection is probed. Probes keep NATs open, and detect an unavailable peer within 10 s. */
const KEEP_ALIVE_MS = 30_000;
/** Maximum number of unsent bytes per connection. */
const MAX_UNSENT_BYTES = 262_144;

interface Connection {
  peer: SipSource;
  socket: Socket;
  usedMs: number;
}

interface StreamOptions extends MessageTransportHandlers {
  clock: Clock;
  log: Logger;
  limits: SipLimits;
  /** Starts a connection; `onOpen` is called when messages can be sent. Throws a SipError. */
  dial(to: SipSource, onOpen: () => void): Socket;
}

/** All TCP and TLS connections of both directions, at most one per peer. */
export class StreamConnections {
  readonly #options: StreamOptions;
  readonly #connections = new Map<string, Connection>();
  readonly #opening = new Map<string, Promise<Connection>>();
  /** Open sockets by the address of the peer, with those that are still connecting or in a handshake. */
  readonly #sockets = new Map<Socket, string>();
  #sweep: Timer | null = null;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  /** Counts a socket that a peer opened. Closes it and returns false if there are too many. */
  admit(socket: Socket): boolean {
    const { remoteAddress } = socket;
    socket.on('error', () => socket.destroy());
    if (remoteAddress === undefined || !this.#hasRoomFor(remoteAddress)) {
      socket.destroy();
      return false;
    }
    this.#count(socket, remoteAddress);
    return true;
  }

  /** Adds a connection of a peer whose socket was admitted. */
  add(socket: Socket, transport: 'tcp' | 'tls'): void {
    const { remoteAddress, remotePort } = socket;
    socket.on('error', () => socket.destroy());
    if (remoteAddress === undefined || remotePort === undefined) socket.destroy();
    else this.#register(socket, { transport, address: remoteAddress, port: remotePort });
  }

  async send(text: string, to: SipSource): Promise<void> {
    const listener = { ...to, port: to.listeningPort ?? to.port };
    const known = this.#connections.get(peerKey(to)) ?? this.#connections.get(peerKey(listener));
    const connection = known ?? (await this.#open(listener));
    const { socket } = connection;
    if (socket.destroyed || socket.writableLength > MAX_UNSENT_BYTES) {
      socket.destroy();
      throw new SipError('unreachable', 'the connection was lost');
    }
    connection.usedMs = this.#options.clock.nowMs();
    socket.write(text);
  }

  close(): void {
    this.#sweep?.cancel();
    for (const socket of this.#sockets.keys()) socket.destroy();
    for (const { socket } of this.#connections.values()) socket.destroy();
  }

  #open(to: SipSource): Promise<Connection> {
    const key = peerKey(to);
    const opening = this.#opening.get(key) ?? this.#connect(to).finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  #connect(to: SipSource): Promise<Connection> {
    const { clock, limits } = this.#options;
    if (this.#sockets.size >= limits.connections) {
      return Promise.reject(new SipError('too_busy', 'too many connections'));
    }
    return new Promise((resolve, reject) => {
      const socket = this.#options.dial(to, () => {
        limit.cancel();
        resolve(this.#register(socket, to));
      });
      const limit = clock.setTimer(CONNECT_LIMIT_MS, () => socket.destroy());
      let cause: unknown;
      this.#count(socket, to.address);
      socket.on('error', (error) => {
        cause = error;
      });
      socket.once('close', () => {
        limit.cancel();
        reject(new SipError('unreachable', 'failed to open connection', { cause }));
      });
    });
  }

  #count(socket: Socket, address: string): void {
    this.#sockets.set(socket, address);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #register(socket: Socket, peer: SipSource): Connection {
    const { clock, limits, log } = this.#options;
    const connection: Connection = { peer, socket, usedMs: clock.nowMs() };
    const framer = new StreamFramer();
    this.#connections.set(peerKey(peer), connection);
    this.#sweep ??= clock.setTimer(limits.idleConnectionMs, () => this.#closeIdle());
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on('data', (chunk) => {
      connection.usedMs = clock.nowMs();
      const { messages, pings, isBroken } = framer.push(chunk);
      if (pings > 0 && socket.writableLength < MAX_UNSENT_BYTES) socket.write('\r\n');
      for (const message of messages) this.#options.onBytes(message, peer);
      if (!isBroken) return;
      log.debug({ pii: { address: peer.address } }, 'closed connection that does not speak SIP');
      socket.destroy();
    });
    socket.on('close', () => {
      if (this.#connections.get(peerKey(peer)) !== connection) return;
      this.#connections.delete(peerKey(peer));
      this.#options.onClosed(peer);
    });
    return connection;
  }

  #hasRoomFor(address: string): boolean {
    const { connections, connectionsPerAddress } = this.#options.limits;
    if (this.#sockets.size >= connections) return false;
    let sameAddress = 0;
    for (const each of this.#sockets.values()) if (each === address) sameAddress += 1;
    return sameAddress < connectionsPerAddress;
  }

  #closeIdle(): void {
    const { clock, limits } = this.#options;
    const beforeMs = clock.nowMs() - limits.idleConnectionMs;
    for (const { peer, socket, usedMs } of this.#connections.values()) {
      if (usedMs <= beforeMs && !this.#options.isInUse(peer)) socket.destroy();
    }
    this.#sweep = clock.setTimer(limits.idleConnectionMs, () => this.#closeIdle());
  }
}
