import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { familyOf } from '@calls/foundation/address-network';
import type { RtpAddress } from '../rtp/rtp-address.ts';

/** Buffers the packets that arrive while the process is busy. */
const RECEIVE_BUFFER_BYTES = 256 * 1024;

/** While `isShut`, ports drop outgoing packets. */
export interface SendGate {
  isShut: boolean;
}

const OPEN_GATE: SendGate = { isShut: false };

/** One UDP port, of one or both address families. */
export class RtpPort {
  readonly port: number;
  /** Called for each packet; without it, packets are dropped. The receiver owns the bytes. */
  onPacket: ((bytes: Buffer, from: RtpAddress) => void) | null = null;
  readonly #sockets: ReadonlyMap<4 | 6, Socket>;
  readonly #onClosed: () => void;
  readonly #gate: SendGate;
  #isConnected = false;
  #isClosed = false;

  private constructor(
    sockets: ReadonlyMap<4 | 6, Socket>,
    port: number,
    onClosed: () => void,
    gate: SendGate,
  ) {
    this.#sockets = sockets;
    this.#gate = gate;
    this.#onClosed = onClosed;
    this.port = port;
    for (const socket of sockets.values()) {
      socket.on('message', (bytes, from) =>
        this.onPacket?.(bytes, { address: from.address, port: from.port }),
      );
      // Packets that cannot be sent are lost, as in the network.
      socket.on('error', () => undefined);
    }
  }

  /** `hosts`: listening addresses, at most one per family. Rejects with the system error. `port` 0 uses a free port. */
  static async open(
    hosts: readonly string[],
    port: number,
    onClosed: () => void,
    gate = OPEN_GATE,
  ): Promise<RtpPort> {
    const sockets = new Map<4 | 6, Socket>();
    let opened = port;
    try {
      for (const host of hosts) {
        const family = familyOf(host);
        const socket = createSocket({
          type: `udp${family}`,
          ipv6Only: family === 6,
          // Addresses are numeric, so nothing is looked up.
          lookup: (address, _options, done) => done(null, address, family),
          recvBufferSize: RECEIVE_BUFFER_BYTES,
        });
        sockets.set(family, socket);
        const listening = once(socket, 'listening');
        socket.bind({ address: host, port: opened, exclusive: true });
        await listening;
        opened = socket.address().port;
      }
    } catch (thrown) {
      for (const socket of sockets.values()) socket.close();
      throw thrown;
    }
    return new RtpPort(sockets, opened, onClosed, gate);
  }

  /** Restricts the port to packets to and from this address. */
  async connect({ address, port }: RtpAddress): Promise<void> {
    const socket = this.#sockets.get(familyOf(address));
    if (!socket) throw new Error(`the port has no socket for ${address}`);
    const connected = once(socket, 'connect');
    socket.connect(port, address);
    await connected;
    this.#isConnected = true;
  }

  /** Takes ownership of `packet`. */
  send(packet: Buffer, { address, port }: RtpAddress): void {
    if (this.#isClosed || this.#gate.isShut) return;
    const socket = this.#sockets.get(familyOf(address));
    if (this.#isConnected) socket?.send(packet, () => undefined);
    else socket?.send(packet, port, address, () => undefined);
  }

  /** Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onPacket = null;
    let open = this.#sockets.size;
    for (const socket of this.#sockets.values()) {
      socket.close(() => {
        open -= 1;
        if (open === 0) this.#onClosed();
      });
    }
  }
}
