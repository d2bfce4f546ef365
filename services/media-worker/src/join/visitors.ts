import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { networkOf } from '@calls/foundation/address-network';

export interface VisitorLimits {
  /** Of one address (IPv6: one network of 64 bits). */
  perNetwork: number;
  overall: number;
}

/**
 * Connections that have shown no valid token yet: so many of an address, and so many in all. One more closes the oldest: a client
 * with a token shows it at once.
 */
export class Visitors {
  readonly #limits: VisitorLimits;
  /** In the order in which they came. */
  readonly #networks = new Map<Duplex, string>();
  readonly #byNetwork = new Map<string, Set<Duplex>>();

  constructor(limits: VisitorLimits) {
    this.#limits = limits;
  }

  /** A connection that is in stays so until it leaves or closes. */
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

  /** Its token is valid, or it is closed. */
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

/** Where a client is: as the outermost of so many proxies of ours wrote it, or the other side of the connection. */
export function clientAddress({ headers, socket }: ClientRequest, trustedProxies: number): string {
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join().split(',');
  const hops = [...forwarded.map((hop) => hop.trim()).filter(Boolean), socket.remoteAddress ?? ''];
  return hops.at(-1 - trustedProxies) ?? hops[0] ?? '';
}
