import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { LossyLink, type LinkConditions } from './lossy-link.ts';

export interface LossyRelayOptions {
  /** Address that clients send to. The server announces it; it differs from the address of the server (127.0.0.2). */
  listenAddress: string;
  serverAddress: string;
  /** Port of both the server and the relay. */
  port: number;
  conditions: LinkConditions;
  seed: number;
}

/** Packet counts of one direction. */
export interface RelayCounts {
  arrived: number;
  lost: number;
  /** Packets above the limit of delayed packets. */
  dropped: number;
}

/** A lossy network between clients and a local UDP server. Disposal closes its sockets and drops delayed packets. */
export interface LossyRelay extends AsyncDisposable {
  readonly toServer: Readonly<RelayCounts>;
  readonly toClients: Readonly<RelayCounts>;
  /** Applies to all following packets. */
  setConditions(conditions: LinkConditions): void;
}

/** Above this number, the oldest client is removed. */
const MAX_CLIENTS = 100;
const MAX_UNDER_WAY = 5000;

/**
 * Losses and delays apply to each packet independently in both directions, including handshakes and retransmissions.
 */
export async function startLossyRelay(options: LossyRelayOptions): Promise<LossyRelay> {
  const { listenAddress, serverAddress, port, seed } = options;
  const toServer = new Direction(options.conditions, seed);
  const toClients = new Direction(options.conditions, seed + 1);
  /** For each client address, the socket that sends its packets to the server. */
  const clients = new Map<string, Socket>();
  const entrance = createSocket('udp4');
  entrance.on('message', (message, from) => {
    const key = `${from.address}:${from.port}`;
    let towardsServer = clients.get(key);
    if (!towardsServer) {
      const [oldest] = clients;
      if (oldest && clients.size >= MAX_CLIENTS) {
        clients.delete(oldest[0]);
        oldest[1].close();
      }
      towardsServer = createSocket('udp4');
      clients.set(key, towardsServer);
      towardsServer.on('error', () => undefined);
      towardsServer.on('message', (answer) => {
        toClients.carry(() => entrance.send(answer, from.port, from.address, () => undefined));
      });
      // Bound to the address of the server, because the kernel does not deliver packets between different loopback
      // addresses.
      towardsServer.bind(0, serverAddress);
    }
    const socket = towardsServer;
    toServer.carry(() => {
      if (clients.get(key) === socket) socket.send(message, port, serverAddress, () => undefined);
    });
  });
  entrance.bind(port, listenAddress);
  await once(entrance, 'listening');
  entrance.on('error', () => undefined);
  return {
    toServer: toServer.counts,
    toClients: toClients.counts,
    setConditions: (conditions) => {
      toServer.setConditions(conditions);
      toClients.setConditions(conditions);
    },
    [Symbol.asyncDispose]: async () => {
      toServer.close();
      toClients.close();
      const sockets = [entrance, ...clients.values()];
      const closed = sockets.map((socket) => once(socket, 'close'));
      for (const socket of sockets) socket.close();
      await Promise.all(closed);
    },
  };
}

class Direction {
  readonly counts: RelayCounts = { arrived: 0, lost: 0, dropped: 0 };
  readonly #seed: number;
  readonly #underWay = new Set<NodeJS.Timeout>();
  #link: LossyLink;
  #isClosed = false;

  constructor(conditions: LinkConditions, seed: number) {
    this.#seed = seed;
    this.#link = new LossyLink(conditions, seed);
  }

  setConditions(conditions: LinkConditions): void {
    this.#link = new LossyLink(conditions, this.#seed);
  }

  carry(deliver: () => void): void {
    if (this.#isClosed) return;
    const nowMs = performance.now();
    const arrivalMs = this.#link.arrivalMs(nowMs);
    if (arrivalMs === null) {
      this.counts.lost += 1;
    } else if (this.#underWay.size >= MAX_UNDER_WAY) {
      this.counts.dropped += 1;
    } else {
      const timer = setTimeout(() => {
        this.#underWay.delete(timer);
        this.counts.arrived += 1;
        deliver();
      }, arrivalMs - nowMs);
      this.#underWay.add(timer);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#underWay) clearTimeout(timer);
    this.#underWay.clear();
  }
}
