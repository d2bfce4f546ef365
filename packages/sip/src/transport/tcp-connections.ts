import { connect, type Socket } from 'node:net';
import type { Clock, Timer } from '@calls/foundation/clock';
import type { Logger } from '@calls/foundation/logger';
import { SipError, type SipSource } from '../calls.ts';
import type { SipLimits } from '../endpoint-options.ts';
import { StreamFramer } from './stream-framer.ts';
import { peerKey, type WireHandlers } from './wire.ts';

const CONNECT_LIMIT_MS = 10_000;
/** Maximum number of unsent bytes per connection. */
const MAX_UNSENT_BYTES = 262_144;

interface Connection {
  peer: SipSource;
  socket: Socket;
  usedMs: number;
}

interface TcpOptions extends WireHandlers {
  clock: Clock;
  log: Logger;
  limits: SipLimits;
  /** Address of the listening socket, also the source of outgoing connections if set. */
  host: string;
}

/** All TCP connections of both directions, at most one per peer address and port. */
export class TcpConnections {
  readonly #options: TcpOptions;
  readonly #connections = new Map<string, Connection>();
  readonly #opening = new Map<string, Promise<Connection>>();
  /** Connections that are being opened. */
  readonly #connecting = new Set<Socket>();
  #sweep: Timer | null = null;

  constructor(options: TcpOptions) {
    this.#options = options;
  }

  /** Adds a connection that a peer opened. */
  add(socket: Socket): void {
    const { remoteAddress, remotePort } = socket;
    socket.on('error', () => socket.destroy());
    if (remoteAddress === undefined || remotePort === undefined || !this.#hasRoomFor(remoteAddress)) {
      socket.destroy();
      return;
    }
    this.#keep(socket, { transport: 'tcp', address: remoteAddress, port: remotePort });
  }

  async send(text: string, to: SipSource): Promise<void> {
    const connection = this.#connections.get(peerKey(to)) ?? (await this.#open(to));
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
    for (const socket of this.#connecting) socket.destroy();
    for (const { socket } of this.#connections.values()) socket.destroy();
  }

  #open(to: SipSource): Promise<Connection> {
    const key = peerKey(to);
    const opening = this.#opening.get(key) ?? this.#connect(to).finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  #connect(to: SipSource): Promise<Connection> {
    const { clock, host, limits } = this.#options;
    if (this.#connections.size + this.#opening.size >= limits.connections) {
      return Promise.reject(new SipError('too_busy', 'too many connections'));
    }
    return new Promise((resolve, reject) => {
      const socket = connect({ host: to.address, port: to.port, ...(host !== '' && { localAddress: host }) });
      const limit = clock.setTimer(CONNECT_LIMIT_MS, () => socket.destroy());
      let cause: unknown;
      this.#connecting.add(socket);
      socket.on('error', (error) => {
        cause = error;
      });
      socket.once('close', () => {
        limit.cancel();
        this.#connecting.delete(socket);
        reject(new SipError('unreachable', 'failed to open connection', { cause }));
      });
      socket.once('connect', () => {
        limit.cancel();
        this.#connecting.delete(socket);
        resolve(this.#keep(socket, to));
      });
    });
  }

  #keep(socket: Socket, peer: SipSource): Connection {
    const { clock, limits, log } = this.#options;
    const connection: Connection = { peer, socket, usedMs: clock.nowMs() };
    const framer = new StreamFramer();
    this.#connections.set(peerKey(peer), connection);
    this.#sweep ??= clock.setTimer(limits.idleConnectionMs, () => this.#closeIdle());
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      connection.usedMs = clock.nowMs();
      const { messages, pings, isBroken } = framer.push(chunk);
      if (pings > 0 && socket.writableLength < MAX_UNSENT_BYTES) socket.write('\r\n');
      for (const message of messages) this.#options.onBytes(message, peer);
      if (!isBroken) return;
      log.debug({ pii: { address: peer.address } }, 'closed TCP connection that does not speak SIP');
      socket.destroy();
    });
    socket.on('close', () => this.#connections.delete(peerKey(peer)));
    return connection;
  }

  #hasRoomFor(address: string): boolean {
    const { connections, connectionsPerAddress } = this.#options.limits;
    if (this.#connections.size >= connections) return false;
    let sameAddress = 0;
    for (const { peer } of this.#connections.values()) if (peer.address === address) sameAddress += 1;
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
