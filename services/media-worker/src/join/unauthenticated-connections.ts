import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { networkOf } from '@calls/foundation/address-network';

export interface UnauthenticatedLimits {
  /** Per IPv4 address or IPv6 /64 network. */
  perNetwork: number;
  overall: number;
}

/**
 * Connections that have not shown a valid token, limited per address and in total. Beyond the limits, the oldest is
 * closed: clients with a token show it immediately.
 */
export class UnauthenticatedConnections {
  readonly #limits: UnauthenticatedLimits;
  /** Network of each connection, in order of arrival. */
  readonly #networks = new Map<Duplex, string>();
  readonly #byNetwork = new Map<string, Set<Duplex>>();

  constructor(limits: UnauthenticatedLimits) {
    this.#limits = limits;
  }

  /** The connection counts until it leaves or closes. */
  enter(connection: Duplex, address: string): void {
    if (this.#networks.has(connection)) return;
    const network = networkOf(address);
    const own = this.#byNetwork.get(network) ?? new Set();
    this.#networks.set(connection, network);
    this.#byNetwork.set(network, own.add(connection));
    connection.once('close', () => this.leave(connection));
    if (own.size > this.#limits.perNetwork) this.#close(own);
    if (this.#networks.size > this.#limits.overall) this.#close(this.#networks.keys());
  }

  /** The connection has shown a valid token or was closed. */
  leave(connection: Duplex): void {
    const network = this.#networks.get(connection);
    if (network === undefined) return;
    const own = this.#byNetwork.get(network);
    this.#networks.delete(connection);
    own?.delete(connection);
    if (own?.size === 0) this.#byNetwork.delete(network);
  }

  #close([oldest]: Iterable<Duplex>): void {
    if (!oldest) return;
    this.leave(oldest);
    oldest.destroy();
  }
}

interface ClientRequest extends Pick<IncomingMessage, 'headers'> {
  socket: Pick<IncomingMessage['socket'], 'remoteAddress'>;
}

/** The client's address: as written by the outermost trusted proxy, or that of the connection. */
export function clientAddress({ headers, socket }: ClientRequest, trustedProxies: number): string {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join().split(',');
  const hops = [...forwarded.map((hop) => hop.trim()).filter(Boolean), socket.remoteAddress ?? ''];
  return hops.at(-1 - trustedProxies) ?? hops[0] ?? '';
}
